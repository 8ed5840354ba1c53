import Foundation
import HTTPMessages
import SystemLibraries

/// The file of a body: its stored path, and its copy in the folder of an outbox.
enum BodyFile {
    private static let suffix = ".body"

    /// The path that is stored. One in the home folder is relative to it: that of an app moves with an update.
    static func path(of url: URL) -> String {
        let (path, home) = (url.path, NSHomeDirectory() + "/")
        return path.hasPrefix(home) ? "~/" + path.dropFirst(home.count) : path
    }

    /// The file of a stored path.
    static func url(of path: String) -> URL {
        URL(filePath: path.hasPrefix("~/") ? NSHomeDirectory() + "/" + path.dropFirst(2) : path)
    }

    /// The name of a stored path, which is that of a copy in any folder.
    static func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// The file of a copied body: in the folder of the outbox, if it is not where it was.
    static func url(ofCopy path: String, in folder: URL?) -> URL {
        let stored = url(of: path)
        guard let folder, !FileManager.default.fileExists(atPath: stored.path) else { return stored }
        return folder.appending(path: name(path))
    }

    /// Copies a body into a folder, and waits until it is on the disk.
    /// - Returns: the copy, and its size in bytes.
    /// - Throws: ``OutboxError`` (`fileNotCopied`); errors of reading the body.
    static func copy(_ body: HTTPBody, to folder: URL) throws -> (url: URL, size: Int64) {
        let url = folder.appending(path: UUID().uuidString + suffix)
        var size: Int64 = 0
        guard let reader = try body.makeReader() else { return (url, size) }
        do {
            let file = try SystemFile(url.path, for: .creatingNew)
            do {
                while let part = try reader.read(atMost: 1 << 18) {
                    try file.append(part)
                    size += Int64(part.count)
                }
                try file.synchronize()
            } catch {
                SystemFile.delete(url.path)
                throw error
            }
            // Not all file systems can flush a folder.
            try? SystemFile(folder.path, for: .reading).synchronize()
        } catch let error as POSIXError {
            throw OutboxError(
                .fileNotCopied,
                "Body of the request cannot be copied to the folder \(folder.lastPathComponent.debugDescription) "
                    + "(\(String(cString: strerror(error.code.rawValue)))); create it, or free space.")
        }
        return (url, size)
    }

    /// Deletes a copy.
    static func delete(_ path: String) { SystemFile.delete(url(of: path).path) }

    /// The copies in a folder, as stored paths.
    static func paths(in folder: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(suffix) }.map { path(of: folder.appending(path: $0)) }
    }
}
