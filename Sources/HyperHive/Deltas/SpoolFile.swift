import Foundation
import SystemLibraries

/// A temporary file for the bytes of one response, with mode 0600.
///
/// Its name is removed at its creation, so the system deletes it with the last reference, or with the process.
struct SpoolFile: Sendable {
    private let file: SystemFile
    private var size: Int64 = 0

    /// Creates an empty file.
    /// - Throws: `POSIXError`.
    init(in folder: URL) throws(POSIXError) {
        let path = folder.appending(path: "patchbay-\(UUID().uuidString).delta").path
        file = try SystemFile(path, for: .creatingNew)
        SystemFile.delete(path)
    }

    /// Appends bytes.
    /// - Throws: `POSIXError`; some of the bytes may have been written.
    mutating func append(_ data: Data) throws(POSIXError) {
        try file.append(data)
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
