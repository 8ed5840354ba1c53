import Foundation
import LocalStore
import SQLiteStore
import StoreCore
import SystemLibraries

/// Folders, paths and stores.
extension DatabaseRegistry {
    /// The user's documents folder, on tvOS the caches folder; the home folder if the system has no such folder.
    static var userDocuments: String {
        (UserFolder.documents.url ?? URL(filePath: NSHomeDirectory())).path
    }

    /// Creates the documents folder if it is missing, as on a new Linux machine, and the path is in it.
    /// - Throws: `StoreError`: `invalidArgument` for the path; `io` when the folder cannot be created.
    func makeDocumentsFolder(for text: String) throws(StoreError) {
        let paths = (try DatabasePath(text, documents: documents), try DatabasePath("x", documents: documents))
        guard case (.file(let file), .file(let example)) = (paths.0.location, paths.1.location),
            file.hasPrefix(example.dropLast()), !FileManager.default.fileExists(atPath: documents)
        else { return }
        do {
            try FileManager.default.createDirectory(atPath: documents, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .io,
                "Documents folder \(documents) does not exist and cannot be created; create it, or set "
                    + "`HyperHiveOptions.documentsFolder`.")
        }
    }

    /// Reads a path in one of the vendor's spellings; see ``DatabasePath``.
    ///
    /// Symbolic links in its folder are resolved, so that each file has one path.
    /// - Throws: `StoreError` (`invalidArgument`).
    func path(_ text: String) throws(StoreError) -> DatabasePath {
        let path = try DatabasePath(text, documents: documents)
        guard case .file(let file) = path.location else { return path }
        let url = URL(filePath: file, directoryHint: .notDirectory)
        let folder = url.deletingLastPathComponent().resolvingSymlinksInPath().path
        return try DatabasePath(folder + "/" + url.lastPathComponent, documents: folder)
    }

    /// Opens a `SQLiteStore`; where SQLite is missing, a `MemoryStore` with a journal.
    ///
    /// The journal's name ends with `.journal`, since SQLite may open the file without it later. Text may be in double
    /// quotes, as the vendor's samples have it.
    /// - Throws: `StoreError`: what `SQLiteStore` throws; `encryptionUnavailable` for a key without SQLite.
    @Sendable static func openStore(_ path: DatabasePath, _ key: EncryptionKey) throws -> any LocalStore {
        guard SQLiteLibrary.system.isAvailable else {
            guard key == .unencrypted else {
                throw StoreError(
                    .encryptionUnavailable,
                    "Encryption unavailable: SQLite is missing; open the database without a key.")
            }
            switch path.location {
            case .memory: return MemoryStore(allowsDoubleQuotedText: true)
            case .file(let file):
                return try MemoryStore(
                    journal: MemoryJournalConfiguration(path: file + ".journal"), allowsDoubleQuotedText: true)
            }
        }
        var configuration = SQLiteStore.Configuration()
        configuration.allowsDoubleQuotedText = true
        switch path.location {
        case .memory: return try SQLiteStore(.memory, key: key, configuration: configuration)
        case .file(let file): return try SQLiteStore(.file(file), key: key, configuration: configuration)
        }
    }
}

extension DatabasePath {
    /// Equal for two paths of one file.
    var key: [UInt8] { description.fileNameBytes }
}
