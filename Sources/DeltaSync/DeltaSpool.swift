import Coordination
package import Foundation

/// Received bytes: in memory, and beyond a limit in a temporary file.
package struct DeltaSpool: Sendable {
    private let memoryLimit: Int
    private let folder: URL
    private var memory = Data()
    private var file: ScratchFile?
    package private(set) var byteCount = 0

    /// Creates an empty spool.
    /// - Parameters:
    ///   - memoryLimit: maximum bytes in memory; 0 writes all to the file.
    ///   - folder: the folder of the file.
    package init(memoryLimit: Int, in folder: URL) {
        self.memoryLimit = memoryLimit
        self.folder = folder
    }

    /// Appends bytes.
    /// - Throws: `POSIXError`; some of the bytes may have been written.
    package mutating func append(_ bytes: Data) throws(POSIXError) {
        if file == nil, byteCount + bytes.count > memoryLimit {
            let file = try ScratchFile(in: folder)
            try file.write(memory, at: 0)
            (self.file, memory) = (file, Data())
        }
        if let file { try file.write(bytes, at: Int64(byteCount)) } else { memory += bytes }
        byteCount += bytes.count
    }

    /// Returns a function that reads the bytes from their start, a part at each call; nil at the end.
    package func reader() -> () throws -> Data? {
        var offset = 0
        return { [memory, file, byteCount] in
            let count = min(byteCount - offset, 256 << 10)
            guard count > 0 else { return nil }
            defer { offset += count }
            return try file?.read(count, at: Int64(offset)) ?? memory[offset..<(offset + count)]
        }
    }
}
