import HTTPMessages
import Transport

/// The end of a transfer, for its caller and for the reader of its body.
enum Completion: Sendable {
    typealias Caller = CheckedContinuation<HTTPResponse, any Error>

    case response(HTTPResponse, for: Caller)
    /// The end of a streamed body; nil for success.
    case body(ResponseBodyPipe, (any Error)?)
    /// The failure of a transfer, before its caller was resumed.
    case failure(any Error, for: Caller, body: ResponseBodyPipe?)

    /// Resumes the caller or the reader.
    func deliver() {
        switch self {
        case .response(let response, let caller): caller.resume(returning: response)
        case .body(let pipe, let error): pipe.finish(error)
        case .failure(let error, let caller, let pipe):
            caller.resume(throwing: error)
            pipe?.finish(error)
        }
    }
}
