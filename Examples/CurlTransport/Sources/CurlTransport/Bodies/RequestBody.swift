import Foundation
import HTTPMessages
import Transport

/// The form in which libcurl gets a request body.
enum RequestBody: Sendable {
    case none
    /// Bytes that libcurl copies.
    case bytes(Data)
    /// Bytes that a task reads while the event thread sends.
    case pumped(RequestBodyPump)

    /// Bodies in memory up to this size are copied.
    private static let maximumCopiedSize = 64 << 10

    /// - Parameter onBytes: called when the pump has bytes for which the event thread waits.
    init(_ request: HTTPRequest, onBytes: @escaping @Sendable () -> Void) {
        let body = request.body
        // Any other body is read by the pump: its reader may block, and the call has a deadline.
        let bytes = body.length == 0 && body.isReplayable ? Data() : body.inMemory
        if body.isEmpty {
            self = .none
        } else if let bytes, bytes.count <= Self.maximumCopiedSize, !request.expectsContinue,
            // How much of a copied body has been sent is known only at its end.
            request.options.trailers == nil
        {
            self = .bytes(bytes)
        } else {
            self = .pumped(RequestBodyPump(body, onBytes: onBytes))
        }
    }
}

extension TransportError {
    static func unreadableBody(_ request: HTTPRequest, _ error: any Error) -> TransportError {
        let reason = (error as? HTTPMessageError).map { ": \($0.message)" } ?? "; see `underlying`."
        return TransportError(
            .unreadableBody, "Request body could not be read to its end\(reason)", request: request, underlying: error)
    }
}

extension HTTPMessageError {
    static var lengthMismatch: HTTPMessageError {
        HTTPMessageError(
            .bodyLengthMismatch,
            "Body has more or fewer bytes than its declared length; declare the length that the reader gives, or none.")
    }
}
