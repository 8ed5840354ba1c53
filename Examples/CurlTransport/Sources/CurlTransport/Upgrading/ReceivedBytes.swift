import Foundation

/// Received bytes, to be read by lines or by counts.
///
/// What was read is dropped once for each ``append(_:)``, and no byte is searched twice for the end of a line.
struct ReceivedBytes {
    private var bytes = Data()
    /// The number of bytes of ``bytes`` that were read.
    private var start = 0
    /// The number of bytes of ``bytes`` that have no line feed behind ``start``.
    private var scanned = 0

    /// The number of bytes to read.
    var count: Int { bytes.count - start }

    mutating func append(_ added: Data) {
        if start > 0 {
            bytes = Data(bytes.dropFirst(start))
            (start, scanned) = (0, 0)
        }
        bytes.append(added)
    }

    /// Reads a line with its line feed; nil if its end has not arrived.
    mutating func readLine() -> Data? {
        let from = max(start, scanned)
        guard let end = bytes[from...].firstIndex(of: 0x0A) else {
            scanned = bytes.count
            return nil
        }
        defer { start = end + 1 }
        return bytes[start...end]
    }

    /// Reads what there is, up to a number of bytes.
    mutating func read(atMost limit: Int) -> Data {
        let count = min(limit, count)
        defer { start += count }
        return bytes[start..<(start + count)]
    }
}
