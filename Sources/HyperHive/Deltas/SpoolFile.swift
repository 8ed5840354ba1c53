import Coordination
import Foundation

/// A temporary file for the bytes of one response, with a position for writing.
struct SpoolFile: Sendable {
    private let file: ScratchFile
    private var size: Int64 = 0

    /// Creates an empty file.
    /// - Throws: `POSIXError`.
    init(in folder: URL) throws(POSIXError) { file = try ScratchFile(in: folder) }

    /// Appends bytes.
    /// - Throws: `POSIXError`; some of the bytes may have been written.
    mutating func append(_ data: Data) throws(POSIXError) {
        try file.write(data, at: size)
        size += Int64(data.count)
    }

    /// Returns a function that reads the file from its start, a part at each call; nil at the end.
    func reader() -> () throws -> Data? {
        var offset: Int64 = 0
        return { [file, size] in
            let count = Int(min(size - offset, 256 << 10))
            guard count > 0 else { return nil }
            defer { offset += Int64(count) }
            return try file.read(count, at: offset)
        }
    }
}
