import Foundation
import HTTPMessages

#if !canImport(Darwin)
    /// A request's body as the stream that URLSession reads.
    ///
    /// It gives 0 once at the end and then an error: an engine that sends the head again on a fresh connection, without
    /// asking for a fresh stream, fails at once instead of waiting for bytes that are gone.
    final class RequestBodyStream: InputStream {
        private weak var transfer: Transfer?
        private var reader: (any HTTPBodyReader)?
        private var remaining: Int64?
        private var status = Stream.Status.notOpen

        /// The stream of a transfer's body; nil when the body cannot be opened, which then fails the transfer.
        init?(_ transfer: Transfer) {
            self.transfer = transfer
            let body = transfer.body
            remaining = body.length
            super.init(data: Data())
            do {
                guard let reader = try body.makeReader() else {
                    throw HTTPMessageError(.bodyAlreadyRead, "This body is a stream: it can be sent once, and was.")
                }
                self.reader = reader
            } catch {
                transfer.failed(.unreadableBody, "Request body cannot be opened.", underlying: error)
                return nil
            }
        }

        override var hasBytesAvailable: Bool { true }
        override var streamStatus: Stream.Status { status }
        override var streamError: (any Error)? { nil }
        override func open() { status = .open }
        override func close() {
            status = .closed
            reader = nil
        }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
            guard let reader else { return -1 }
            do {
                guard let data = try next(from: reader, atMost: count) else {
                    self.reader = nil
                    status = .atEnd
                    return 0
                }
                data.copyBytes(to: buffer, count: data.count)
                return data.count
            } catch {
                self.reader = nil
                transfer?.failed(.unreadableBody, "Request body could not be read to its end.", underlying: error)
                return -1
            }
        }

        private func next(from reader: any HTTPBodyReader, atMost count: Int) throws -> Data? {
            // The buffer is no longer than was asked for.
            guard let data = try reader.checkedRead(atMost: count) else {
                if let remaining, remaining > 0 { throw Self.lengthMismatch }
                return nil
            }
            if let before = remaining {
                let after = before - Int64(data.count)
                // The engine stops asking once it has what was stated, so this is the moment to see that there is more.
                guard try after > 0 || (after == 0 && reader.read(atMost: 1) == nil) else { throw Self.lengthMismatch }
                remaining = after
            }
            return data
        }

        private static var lengthMismatch: HTTPMessageError {
            HTTPMessageError(.bodyLengthMismatch, "The body has not the length that it stated.")
        }
    }
#endif
