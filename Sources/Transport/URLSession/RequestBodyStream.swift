import Foundation
import HTTPMessages

/// A request's body as the stream that URLSession reads.
///
/// It gives 0 once at the end and then an error: an engine that sends the head again on a fresh connection, without
/// asking for a fresh stream, fails at once instead of waiting for bytes that are gone.
final class RequestBodyStream: InputStream {
    private weak let transfer: Transfer?
    private var reader: (any HTTPBodyReader)?
    private var remaining: Int64?
    private var status = Stream.Status.notOpen

    /// The stream of a transfer's body; nil when the body cannot be opened, which then fails the transfer.
    init?(_ transfer: Transfer) {
        self.transfer = transfer
        remaining = transfer.body.length
        super.init(data: Data())
        do {
            reader = try transfer.body.makeReader()
        } catch {
            transfer.failed(.unreadableBody, "The request's body cannot be read.", underlying: error)
        }
        guard reader != nil else { return nil }
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
            let data = try reader.read(atMost: count)
            remaining = remaining.map { $0 - Int64(data?.count ?? 0) }
            if let remaining, remaining < 0 || (data == nil && remaining > 0) {
                throw HTTPMessageError(.bodyLengthMismatch, "The body has not the length that it stated.")
            }
            guard let data else {
                self.reader = nil
                status = .atEnd
                return 0
            }
            data.copyBytes(to: buffer, count: data.count)
            return data.count
        } catch {
            transfer?.failed(.unreadableBody, "The request's body could not be read to its end.", underlying: error)
            return -1
        }
    }
}
