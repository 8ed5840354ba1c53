import Foundation
import HTTPMessages

#if !canImport(Darwin)
    /// The stream from which URLSession on Linux reads a request body.
    ///
    /// At the end it returns 0 once, then -1. When a reused connection turns out to be closed, libcurl can resend the
    /// head on a new connection without asking for a new stream. The error then fails the request at once; otherwise
    /// the server would wait for body bytes until the timeout.
    final class RequestBodyStream: InputStream {
        private weak var transfer: Transfer?
        private var reader: (any HTTPBodyReader)?
        private var remaining: Int64?
        private var status = Stream.Status.notOpen

        /// Opens a transfer's body.
        /// - Throws: `unreadableBody`.
        init(_ transfer: Transfer) throws(TransportError) {
            self.transfer = transfer
            let body = transfer.body
            remaining = body.length
            super.init(data: Data())
            do {
                guard let reader = try body.makeReader() else {
                    throw HTTPMessageError(
                        .bodyAlreadyRead, "Request body is a stream that was sent already; use bytes or a file.")
                }
                self.reader = reader
            } catch {
                throw TransportError(
                    .unreadableBody, TransportError.unreadableBodyMessage(error), request: transfer.request,
                    underlying: error)
            }
        }

        override var hasBytesAvailable: Bool { true }
        override var streamStatus: Stream.Status { status }
        override var streamError: (any Error)? { nil }
        override func open() {
            status = .open
            transfer?.bodyRead(toEnd: false)
        }
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
                    transfer?.bodyRead(toEnd: true)
                    return 0
                }
                data.copyBytes(to: buffer, count: data.count)
                return data.count
            } catch {
                self.reader = nil
                transfer?.failed(.unreadableBody, TransportError.unreadableBodyMessage(error), underlying: error)
                return -1
            }
        }

        private func next(from reader: any HTTPBodyReader, atMost count: Int) throws -> Data? {
            guard let data = try reader.read(atMost: count) else {
                if let remaining, remaining > 0 { throw Self.lengthMismatch }
                return nil
            }
            if let before = remaining {
                let after = before - Int64(data.count)
                // The engine reads no further than the declared length, so check here for excess bytes.
                guard try after > 0 || (after == 0 && reader.read(atMost: 1) == nil) else { throw Self.lengthMismatch }
                remaining = after
            }
            return data
        }

        private static var lengthMismatch: HTTPMessageError {
            HTTPMessageError(
                .bodyLengthMismatch,
                "Body has more or fewer bytes than its declared length; declare the length that the reader gives, or none."
            )
        }
    }
#endif
