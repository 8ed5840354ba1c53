public import LocalStore

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
        guard !text.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "Invalid database path: it contains NUL.")
        }
        let parts = text.split(separator: "/").filter { $0 != "." }.map(String.init)
        guard !parts.contains("..") else {
            throw StoreError(.invalidArgument, "Invalid database path: it contains `..`; pass the path without it.")
        }
        guard let last = parts.last, text.hasSuffix(last) else {
            throw StoreError(.invalidArgument, "Invalid database path: it names no file.")
        }
        let folder = documents.split(separator: "/").filter { $0 != "." }.map(String.init)
        let absolute =
            if !text.hasPrefix("/") {
                folder + parts
            } else if parts.starts(with: folder) || !parts.starts(with: Self.documentsPrefix) {
                parts
            } else {
                folder + parts.dropFirst(Self.documentsPrefix.count)
            }
        guard absolute.count > folder.count || !folder.starts(with: absolute) else {
            throw StoreError(.invalidArgument, "Invalid database path: it names a folder.")
        }
        location = .file("/" + absolute.joined(separator: "/"))
    }

    /// The file's name, without its folder.
    public var name: String {
        switch location {
        case .memory: ":memory:"
        case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
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
