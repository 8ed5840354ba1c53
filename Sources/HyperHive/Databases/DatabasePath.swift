public import StoreCore

/// Location of a local database, from any of the vendor's spellings. No I/O.
///
/// `/var/app/Documents/x.sqlite`, `/Documents/x.sqlite` and `x.sqlite` are the same file of an app whose documents
/// folder is `/var/app/Documents`. `:memory:` is a database without a file.
public struct DatabasePath: Hashable, Sendable, CustomStringConvertible {
    /// Where the tables are.
    public enum Location: Hashable, Sendable {
        /// In memory.
        case memory
        /// In the file at this absolute path.
        case file(String)
    }

    /// Where the tables are.
    public let location: Location

    private static let documentsPrefix = ["Documents"]

    /// Reads a path.
    /// - Parameters:
    ///   - text: `:memory:`; an absolute path; or a path in the documents folder, with or without `/Documents/` before
    ///     it.
    ///   - documents: absolute path of the app's documents folder.
    /// - Throws: `StoreError` (`invalidArgument`) for an empty path, a folder, NUL and `..`.
    public init(_ text: String, documents: String) throws(StoreError) {
        guard text != ":memory:" else {
            location = .memory
            return
        }
        guard !text.isEmpty else {
            throw StoreError(
                .invalidArgument,
                "Invalid database path: it is empty; pass a file name, or the default, \(HyperHive.defaultDatabase).")
        }
        guard !text.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "Invalid database path: it contains NUL; remove it.")
        }
        let parts = Self.parts(of: text)
        guard !parts.contains("..") else {
            throw StoreError(.invalidArgument, "Invalid database path: it contains `..`; pass the path without it.")
        }
        guard let last = parts.last, text.utf8.suffix(last.utf8.count).elementsEqual(last.utf8) else {
            throw StoreError(.invalidArgument, "Invalid database path: it names no file; end it with a file name.")
        }
        let folder = Self.parts(of: documents)
        let absolute =
            if text.utf8.first != UInt8(ascii: "/") {
                folder + parts
            } else if parts.starts(with: folder) || !parts.starts(with: Self.documentsPrefix) {
                parts
            } else {
                folder + parts.dropFirst(Self.documentsPrefix.count)
            }
        guard absolute.count > folder.count || !folder.starts(with: absolute) else {
            throw StoreError(.invalidArgument, "Invalid database path: it names a folder; end it with a file name.")
        }
        location = .file("/" + absolute.joined(separator: "/"))
    }

    /// The names in a path, without `.`, split by bytes: with a combining mark after it, a slash is another character.
    private static func parts(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
    }

    /// The file's name, without its folder.
    public var name: String {
        switch location {
        case .memory: ":memory:"
        case .file(let path): Self.parts(of: path).last ?? path
        }
    }

    /// The absolute path, or `:memory:`.
    public var description: String {
        switch location {
        case .memory: ":memory:"
        case .file(let path): path
        }
    }
}
