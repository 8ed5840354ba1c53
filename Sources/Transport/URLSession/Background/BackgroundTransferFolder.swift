import Coordination
import Foundation
import SystemLibraries

/// The folder with the records of a background session, which one process holds.
final class BackgroundTransferFolder: Sendable {
    private let url: URL
    private let lock: SystemFile

    /// Creates the folder if it is missing, and locks it.
    /// - Throws: `temporaryStorage`; `unsupported` if it is in use.
    init(_ url: URL) throws(TransportError) {
        self.url = url
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

    /// The stored records, the oldest first. Damaged ones are deleted.
    func records() -> [BackgroundTransferRecord] {
        let files = (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
        let found = files.filter { $0.pathExtension == "json" && !$0.lastPathComponent.hasPrefix(".") }
            .compactMap { file -> BackgroundTransferRecord? in
                guard let data = try? SmallFile(file).read(), let record = BackgroundTransferRecord(data),
                    file.lastPathComponent == self.file(record.id).lastPathComponent
                else {
                    SystemFile.delete(file.path)
                    return nil
                }
                return record
            }
        return found.sorted { $0.created < $1.created }
    }

    /// Stores a record, durably.
    func store(_ record: BackgroundTransferRecord) throws { try SmallFile(file(record.id)).replace(with: record.data) }

    func delete(_ id: UUID) { try? SmallFile(file(id)).remove() }

    private func file(_ id: UUID) -> URL { url.appending(path: "\(id.uuidString).json", directoryHint: .notDirectory) }
}
