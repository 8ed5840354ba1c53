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

    /// Replayable bodies up to this size, generated ones too, are read on the caller's task before the call is
    /// submitted.
    private static let maximumCopiedSize: Int64 = 64 << 10

    /// - Parameter onBytes: called when the pump has bytes for which the event thread waits.
    /// - Throws: `unreadableBody`.
    init(_ request: HTTPRequest, onBytes: @escaping @Sendable () -> Void) throws(TransportError) {
        let body = request.body
        guard !body.isEmpty else {
            self = .none
            return
        }
        // How much of a copied body has been sent is known only at its end.
        guard let length = body.length, length <= Self.maximumCopiedSize, body.isReplayable, !request.expectsContinue,
            request.options.trailers == nil
        else {
            self = .pumped(RequestBodyPump(body, onBytes: onBytes))
            return
        }
        do {
            self = .bytes(try Self.read(body, count: Int(length)))
        } catch {
            throw .unreadableBody(request, error)
        }
    }

    private static func read(_ body: HTTPBody, count: Int) throws -> Data {
        guard let reader = try body.makeReader() else { return Data() }
        var data = Data()
        // One byte more, to notice a body that is longer than it says.
        while data.count <= count, let piece = try reader.read(atMost: count - data.count + 1) {
            if data.isEmpty { data = piece } else { data += piece }
        }
        guard data.count == count else { throw HTTPMessageError.lengthMismatch }
        return data
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
