import Foundation
import HTTPMessages

extension HTTPBodyReader {
    /// Reads the next bytes and checks their number, since readers may be implemented outside this package.
    /// - Throws: the reader's errors; `HTTPMessageError` (`bodyLengthMismatch`) when it returns no or too many bytes.
    func checkedRead(atMost count: Int) throws -> Data? {
        guard let data = try read(atMost: count) else { return nil }
        guard (1...count).contains(data.count) else {
            throw HTTPMessageError(
                .bodyLengthMismatch,
                "Body reader returned \(data.count) bytes; expected 1 to \(count).")
        }
        return data
    }
}
