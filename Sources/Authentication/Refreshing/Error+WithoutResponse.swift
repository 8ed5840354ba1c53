import HTTPMessages
import Transport

extension Error {
    /// True if a token request got no complete response: without a network, or because a layer below did not send it,
    /// such as one with an open circuit.
    var isWithoutResponse: Bool {
        if self is TransportError { return true }
        guard !(self is AuthenticationError), let error = self as? any StatusCarrying else { return false }
        return error.responseStatus == nil
    }
}
