import Foundation
import HTTPMessages
import Synchronization
import SystemLibraries

/// A file with the body of one response, for its owner only (mode 0600).
///
/// It is written before the row that names it, and deleted after that: what a kill leaves has no row, and is deleted
/// when a cache opens the folder.
final class BodyFile: Sendable {
    let url: URL
    private let file: SystemFile
    private let size = Atomic<Int64>(0)

    /// Creates an empty file.
    /// - Throws: `POSIXError`.
    init(in folder: URL) throws(POSIXError) {
        url = folder.appending(path: "\(Int(Date().timeIntervalSince1970))-\(UUID().uuidString).body")
        file = try SystemFile(url.path, for: .creatingNew, mode: 0o600)
    }

    /// The time in the name of a file, in seconds since 1970; nil for a file of another kind.
    static func creationTime(_ name: String) -> Double? {
        guard name.hasSuffix(".body"), let dash = name.firstIndex(of: "-") else { return nil }
        return Double(name[..<dash])
    }

    var count: Int64 { size.load(ordering: .relaxed) }

    /// - Throws: `POSIXError`.
    func append(_ data: Data) throws(POSIXError) {
        // One writer at a time.
        try file.write(data, at: count)
        size.add(Int64(data.count), ordering: .relaxed)
    }

    func delete() { SystemFile.delete(url.path) }
}

/// Reads a range of a file that was opened before: it may be deleted meanwhile.
final class BodyFileReader: HTTPBodyReader {
    private let file: SystemFile
    private var rest: Range<Int64>

    init(_ file: SystemFile, _ range: Range<Int64>) { (self.file, rest) = (file, range) }

    func read(atMost count: Int) throws -> Data? {
        guard !rest.isEmpty else { return nil }
        let data = try file.read(min(max(1, count), rest.count), at: rest.lowerBound)
        rest = (rest.lowerBound + Int64(data.count))..<rest.upperBound
        return data
    }
}
