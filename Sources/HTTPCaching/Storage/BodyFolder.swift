import Coordination
import Foundation
import StoreCore
import SystemLibraries

/// The folder of a cache's large bodies.
struct BodyFolder: Sendable {
    let url: URL

    /// The age at which a file without a row is what a kill has left, and is not being written.
    private static let orphanAge: TimeInterval = 3_600

    init(_ url: URL) { self.url = url }

    /// A new file; the folder is created if it is missing.
    /// - Throws: the error of the file system.
    func make() throws -> BodyFile {
        do throws(POSIXError) {
            return try BodyFile(in: url)
        } catch {
            guard error.code == .ENOENT else { throw error }
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            return try BodyFile(in: url)
        }
    }

    /// The bytes in a file.
    /// - Throws: ``CacheStorageError`` (`damagedBody`) if it is missing.
    func bytes(_ name: String) throws -> StoredBody.Bytes {
        guard !name.contains("/"), name.hasSuffix(".body") else { throw CacheStorageError.damagedBody }
        let file = url.appending(path: name)
        guard let status = try? FileStatus(at: file.path, followingLinks: false) else {
            throw CacheStorageError.damagedBody
        }
        return .file(file, count: Int64(status.size))
    }

    func delete(_ name: String) { SystemFile.delete(url.appending(path: name).path) }

    /// Deletes the files that no row names, in the background.
    func removeOrphans(in store: any LocalStore) {
        let url = url
        Task(executorPreference: WorkerThreads.calls) {
            let known = try await store.read { reader in
                var names: Set<String> = []
                try reader.query("SELECT name FROM \(CacheTables.file)", []) { row in
                    if let name = row.text(at: 0) { names.insert(name) }
                    return true
                }
                return names
            }
            let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
            for name in names where !known.contains(name) {
                guard let seconds = BodyFile.creationTime(name) else { continue }
                if Date().timeIntervalSince1970 - seconds > Self.orphanAge {
                    SystemFile.delete(url.appending(path: name).path)
                }
            }
        }
    }
}
