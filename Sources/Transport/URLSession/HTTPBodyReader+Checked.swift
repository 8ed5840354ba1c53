import Foundation
import HTTPMessages

extension HTTPBodyReader {
    /// The next bytes of a reader that is not trusted to keep the protocol's promise.
    /// - Throws: what the reader throws; `HTTPMessageError` (`bodyLengthMismatch`) when it returns no bytes or too many.
    func checkedRead(atMost count: Int) throws -> Data? {
        guard let data = try read(atMost: count) else { return nil }
        guard (1...count).contains(data.count) else {
            throw HTTPMessageError(
                .bodyLengthMismatch,
                "The body's reader returned \(data.count) bytes when asked for at least 1 and at most \(count).")
        }
        return data
    }
}
