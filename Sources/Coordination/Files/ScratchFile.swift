package import Foundation
import SystemLibraries

/// A temporary file that is deleted with its last reference.
///
/// The file is unlinked at once unless `isNamed` is true. A named file is left behind if the process ends first. One
/// thread may write while another reads bytes written earlier.
package final class ScratchFile: Sendable {
    private let file: SystemFile
    /// The file's URL, if it is named.
    package let url: URL?

    /// Creates an empty file with mode 0600.
    /// - Throws: `POSIXError`.
    package init(in directory: URL, isNamed: Bool = false) throws(POSIXError) {
        let url = directory.appending(path: "patchbay-\(UUID().uuidString).body")
        file = try SystemFile(url.path, for: .creatingNew)
        if !isNamed { SystemFile.delete(url.path) }
        self.url = isNamed ? url : nil
    }

    deinit {
        if let url { SystemFile.delete(url.path) }
    }

    /// Writes all bytes at an offset.
    /// - Throws: `POSIXError`; some of the bytes may have been written.
    package func write(_ data: Data, at offset: Int64) throws(POSIXError) { try file.write(data, at: offset) }

    /// Reads exactly `count` bytes at an offset.
    /// - Throws: `POSIXError`; `EIO` when the file is shorter.
    package func read(_ count: Int, at offset: Int64) throws(POSIXError) -> Data { try file.read(count, at: offset) }
}
