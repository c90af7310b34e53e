# shellcheck shell=sh
#
# Sourced by tools/try and tools/check: finds out what the machine lacks and installs it.
#
# A thing is missing when its probe fails, whatever the system and however the thing came there, so
# nothing is installed twice and nothing needs the network once everything is found. On Debian and
# its kin (they have apt-get) what is missing is installed; elsewhere it is named and the caller
# stops.
#
# The caller collects with the need_* functions and then calls install_missing.

missing_packages=
missing_names=

say()
{
    printf '%s\n' "$*"
}

die()
{
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

heading()
{
    printf '\n== %s\n' "$*"
}

# need NAME "PACKAGE..." COMMAND...: NAME is missing unless COMMAND succeeds.
need()
{
    need_name=$1
    need_packages=$2
    shift 2
    if ! "$@" >/dev/null 2>&1; then
        missing_names="$missing_names${missing_names:+, }$need_name"
        missing_packages="$missing_packages $need_packages"
    fi
}

have()
{
    command -v "$1"
}

have_c_compiler()
{
    printf '#include <stdio.h>\n' | "${CC:-cc}" -x c -fsyntax-only -
}

# Meson 1.0 or newer, and the ninja that does its work.
have_meson()
{
    case $(meson --version) in
    '' | 0.*) return 1 ;;
    esac
    have ninja
}

# The package of the system, or the C sources that Debian 12 installs (subprojects/llhttp).
have_llhttp()
{
    pkg-config --exists libllhttp || test -f /usr/share/llhttp/llhttp.c ||
        test -d /usr/lib/cmake/llhttp || ls -d /usr/lib/*/cmake/llhttp
}

# The sanitizers' run-time libraries come in a package of their own.
have_clang_runtime()
{
    test -n "$(find "$(clang -print-resource-dir)/lib" -name 'libclang_rt.asan*.a' -print)"
}

have_certificates()
{
    test -s "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" || test -s /etc/ssl/cert.pem ||
        test -s /etc/pki/tls/certs/ca-bundle.crt
}

need_build_tools()
{
    need 'a C compiler' 'gcc libc6-dev' have_c_compiler
    need 'meson 1.0 with ninja' meson have_meson
    need pkg-config pkg-config have pkg-config
    need 'libuv 1.44' libuv1-dev pkg-config --atleast-version=1.44 libuv
    need jansson libjansson-dev pkg-config --exists jansson
    need 'OpenSSL 3' libssl-dev pkg-config --atleast-version=3.0 openssl
    need libcurl libcurl4-openssl-dev pkg-config --exists libcurl
    need llhttp LLHTTP have_llhttp
}

need_test_tools()
{
    need cmocka libcmocka-dev pkg-config --exists cmocka
    need valgrind valgrind have valgrind
    need python3 python3 have python3
    need clang clang have clang
    need "clang's sanitizer libraries" libclang-rt-dev have_clang_runtime
    need llvm-symbolizer llvm have llvm-symbolizer
    need clang-format clang-format have clang-format
    need clang-tidy clang-tidy have clang-tidy
    need bash bash have bash
    need zsh zsh have zsh
    need fish fish have fish
    need elvish elvish have elvish
    need groff groff-base have groff
    need "certificates of the web's authorities" ca-certificates have_certificates
}

need_package_tools()
{
    need python3 python3 have python3
    need "Debian's tools for packages" dpkg-dev have dpkg-shlibdeps
    need lintian lintian have lintian
}

as_root()
{
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# run_quietly COMMAND...: shows what COMMAND printed only when it fails.
run_quietly()
{
    quiet_log=$(mktemp)
    if "$@" >"$quiet_log" 2>&1; then
        rm -f "$quiet_log"
        return 0
    fi
    tail -n 30 "$quiet_log" >&2
    rm -f "$quiet_log"
    return 1
}

# Debian 12 has llhttp as C sources beside the Node.js packages, Debian 13 as a library.
llhttp_package()
{
    if apt-cache show libllhttp-dev >/dev/null 2>&1; then
        echo libllhttp-dev
    else
        echo node-llhttp
    fi
}

install_missing()
{
    [ -n "$missing_names" ] || return 0
    say "Missing here: $missing_names."
    if ! command -v apt-get >/dev/null; then
        die "no apt-get to install it with: install it by this system's own means (README.md has" \
            "the names of some systems) and start again"
    fi
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        die "neither root nor sudo: as root, run" \
            "apt-get install$(printf '%s' "$missing_packages" | sed 's/LLHTTP/llhttp-dev/')"
    fi
    say 'Reading the package lists (apt-get update).'
    run_quietly as_root apt-get update -q || die 'apt-get update failed'
    missing_packages=$(printf '%s' "$missing_packages" | sed "s/LLHTTP/$(llhttp_package)/")
    say "Installing with what they depend on:$missing_packages (may take some minutes)."
    # shellcheck disable=SC2086 # a list of names, to be split
    run_quietly as_root apt-get install -y -q --no-install-recommends $missing_packages ||
        die "apt-get install$missing_packages failed"
    missing_names=
    missing_packages=
}
