import HTTPMessages
import Transport

extension TransportError {
    /// The error of a call that its transport's shutdown has ended.
    static func shutDown(_ request: HTTPRequest? = nil, head: HTTPResponseHead? = nil) -> TransportError {
        TransportError(
            .cancelled, "The call was cancelled: the transport was shut down.", request: request, head: head)
    }
}
