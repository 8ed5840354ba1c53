public import Foundation

/// A registration in a file that only its owner can read (mode 0600), not encrypted.
public struct WLFileRegistrationStore: WLRegistrationStore {
    /// The file; its folder must exist.
    public let file: URL

    /// Creates a store.
    public init(at file: URL) { self.file = file }

    /// Reads the file; nil if it does not exist.
    public func load() throws -> Data? {
        FileManager.default.fileExists(atPath: file.path) ? try Data(contentsOf: file) : nil
    }

    /// Replaces the file atomically, or deletes it.
    public func save(_ registration: Data?) throws {
        guard let registration else {
            if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
            return
        }
        let temporary = file.deletingLastPathComponent().appending(path: ".\(UUID().uuidString)")
        guard
            FileManager.default.createFile(
                atPath: temporary.path, contents: registration, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        guard rename(temporary.path, file.path) == 0 else {
            try? FileManager.default.removeItem(at: temporary)
            throw CocoaError(.fileWriteUnknown)
        }
    }
}
