#pragma once

/* The sessions of the tickets' flow in flow_example.h: each goes on where the one before ended. */

#include "flow_session.h"

#define TICKETS_ASKED USER("Where is my ticket?")

#define TICKETS_FOUND                                             \
    CALL("7", "find_tickets", "{\"email\":\"dee@example.com\"}"), \
        RESULT("7", "find_tickets", "{\"owner\":\"dee\",\"tickets\":[\"T-41\",\"T-42\"]}")

#define TICKETS_READ_FIRST                                       \
    CALL("stretto-1", "get_ticket", "{\"ticket_id\":\"T-41\"}"), \
        RESULT("stretto-1", "get_ticket", "{\"state\":\"open\",\"ticket_id\":\"T-41\"}")

#define TICKETS_READ_SECOND                                      \
    CALL("stretto-2", "get_ticket", "{\"ticket_id\":\"T-42\"}"), \
        RESULT("stretto-2", "get_ticket", "{\"state\":\"open\",\"ticket_id\":\"T-42\"}")
