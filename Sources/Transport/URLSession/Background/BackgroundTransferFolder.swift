import Coordination
import Foundation
import SystemLibraries

/// The folder with the records of a background session, which one process holds.
final class BackgroundTransferFolder: Sendable {
    private let url: URL
    private let lock: SystemFile

    /// Creates the folder if it is missing, and locks it.
    /// - Throws: `temporaryStorage`; `unsupported` if it is in use, and for a container that several apps share.
    init(_ url: URL) throws(TransportError) {
        self.url = url
        // The lock is held while the app is suspended, for which iOS would end it (0xdead10cc).
        guard !url.resolvingSymlinksInPath().path.contains("/Containers/Shared/") else {
            throw TransportError(
                .unsupported,
                "The folder of the background transfers is in a shared container, where iOS ends a suspended app that "
                    + "holds a lock; name one in the app's own container.")
        }
        let lock: SystemFile?
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            lock = try SystemFile.locked(url.appending(path: "lock").path)
        } catch {
            throw TransportError(
                .temporaryStorage,
                "The folder of the background transfers cannot be written; free space, or name another one.",
                underlying: error)
        }
        guard let lock else {
            throw TransportError(
                .unsupported,
                "Background transfers of this name exist already, here or in another process; use one for each name.")
        }
        self.lock = lock
    }

    deinit { lock.unlock() }

    /// The stored records, the oldest first, and the transfers whose record has another format.
    ///
    /// Such a record, as one of a newer version of the app, stays as it is.
    /// - Throws: `temporaryStorage` if the folder or a record cannot be read.
    func records() throws(TransportError) -> (readable: [BackgroundTransferRecord], unreadable: Set<UUID>) {
        var (found, others) = ([BackgroundTransferRecord](), Set<UUID>())
        do {
            for file in try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil) {
                guard let id = Self.id(of: file), let data = try SmallFile(file).read() else { continue }
                if let record = BackgroundTransferRecord(data), record.id == id {
                    found.append(record)
                } else {
                    others.insert(id)
                }
            }
        } catch {
            throw TransportError(
                .temporaryStorage,
                "The records of the background transfers cannot be read; try again, such as when the device was "
                    + "unlocked.", underlying: error)
        }
        return (found.sorted { $0.created < $1.created }, others)
    }

    /// Stores a record, durably.
    func store(_ record: BackgroundTransferRecord) throws { try SmallFile(file(record.id)).replace(with: record.data) }

    func delete(_ id: UUID) { try? SmallFile(file(id)).remove() }

    private static func id(of file: URL) -> UUID? {
        file.pathExtension == "json" ? UUID(uuidString: file.deletingPathExtension().lastPathComponent) : nil
    }

    private func file(_ id: UUID) -> URL { url.appending(path: "\(id.uuidString).json", directoryHint: .notDirectory) }
}
