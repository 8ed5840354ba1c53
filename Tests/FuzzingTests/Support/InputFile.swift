import Foundation

/// The input that a parser is reading, in a file: a trap ends the process, and the file remains.
final class InputFile {
    private let url: URL
    private let handle: FileHandle

    init(_ url: URL) throws {
        self.url = url
        try Data().write(to: url)
        handle = try FileHandle(forWritingTo: url)
    }

    /// A file of this process for a target, in the temporary folder.
    convenience init(of target: FuzzTarget) throws {
        let name = "patchbay-input-\(target.name)-\(ProcessInfo.processInfo.processIdentifier)"
        try self.init(FileManager.default.temporaryDirectory.appending(path: name))
    }

    /// Replaces the content by an input.
    func write(_ input: Data) throws {
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: input)
    }

    /// Removes the file, since all inputs were read.
    func remove() throws {
        try handle.close()
        try FileManager.default.removeItem(at: url)
    }
}
