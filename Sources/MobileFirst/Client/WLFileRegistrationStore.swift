import Coordination
public import Foundation
import SystemLibraries

/// A registration in a file that only its owner can read (mode 0600), not encrypted.
///
/// A crash leaves the old or the new registration. What it leaves in `.NAME.new` beside the file is deleted by the next
/// load or save.
public struct WLFileRegistrationStore: WLRegistrationStore {
    /// The file; its folder must exist.
    public let file: URL

    /// Creates a store.
    public init(at file: URL) { self.file = file }

    /// Reads the file; nil if it does not exist.
    /// - Throws: `POSIXError`.
    public func load() throws -> Data? { try SmallFile(file).read() }

    /// Replaces the file atomically, or deletes it.
    /// - Throws: `POSIXError`; the old registration remains then.
    public func save(_ registration: Data?) throws {
        guard let registration else { return try SmallFile(file).remove() }
        try SmallFile(file).replace(with: registration)
    }
}
