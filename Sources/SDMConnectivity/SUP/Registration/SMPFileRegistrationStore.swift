import Coordination
public import Foundation
import HTTPMessages
import SystemLibraries

/// Registrations in a file that only its owner can read (mode 0600), not encrypted.
///
/// Several connections and processes may use one file. A crash leaves the old or the new registrations; what it leaves
/// in `.NAME.new` beside the file is deleted by the next load or save.
public struct SMPFileRegistrationStore: SMPRegistrationStore {
    /// The file; its folder must exist.
    public let file: URL

    /// Creates a store.
    public init(at file: URL) { self.file = file }

    /// A registration in the file.
    private struct Entry: Codable {
        let server: URL
        let registration: SMPRegistration
    }

    /// Reads the file.
    /// - Throws: `POSIXError`; ``SMPError`` (`store`) for a damaged file.
    public func load(_ applicationID: String, at server: URL) throws -> SMPRegistration? {
        try entries(in: SmallFile(file).read()).first {
            $0.server == server && $0.registration.applicationID == applicationID
        }?.registration
    }

    /// Replaces the file atomically, or deletes it after its last registration.
    /// - Throws: as ``load(_:at:)`` does; the old registrations remain then.
    public func save(_ registration: SMPRegistration?, of applicationID: String, at server: URL) throws {
        var isSaved = false
        // Again if another process has changed the file in between.
        while !isSaved {
            let old = try SmallFile(file).read()
            var entries = try entries(in: old)
            entries.removeAll { $0.server == server && $0.registration.applicationID == applicationID }
            if let registration { entries.append(Entry(server: server, registration: registration)) }
            let new = entries.isEmpty ? nil : try JSONCoding.standard.encode(entries)
            isSaved = try SmallFile(file).replace(with: new) { $0 == old }
        }
    }

    private func entries(in data: Data?) throws -> [Entry] {
        guard let data else { return [] }
        // The decoder's error could quote an identifier.
        guard let entries = try? JSONCoding.standard.decode([Entry].self, from: data) else {
            throw SMPError(
                .store,
                "Damaged registration file \(file.lastPathComponent.debugDescription); delete it and register again.")
        }
        return entries
    }
}
