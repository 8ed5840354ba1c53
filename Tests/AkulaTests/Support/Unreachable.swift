import HTTPMessages
import Testing
import Transport

/// A transport for calls that never get as far.
let unreachable = FakeTransport { request in
    Issue.record("\(request) was sent.")
    throw TransportError(.unknown, "Nothing was to be sent.")
}
