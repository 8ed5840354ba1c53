public import Foundation
import SystemLibraries

/// A token store in a file that only its owner can read and write (mode 0600).
///
/// The tokens are not encrypted. Saving replaces the file atomically: after a crash it has the old or the new tokens.
public struct FileTokenStore: TokenStore {
    /// The file.
    public let url: URL

    /// Creates a store; its folder must exist.
    public init(at url: URL) { self.url = url }

    /// Reads the file; nil if it does not exist.
    /// - Throws: ``AuthenticationError`` (`tokenStore`) if it cannot be read, is not a token file, or has an unknown
    ///   version.
    public func load() throws -> TokenSet? {
        let data: Data
        do {
            let status = try FileStatus(at: url.path)
            data = try SystemFile(url.path, for: .reading).read(Int(status.size), at: 0)
        } catch  where error.code == .ENOENT {
            return nil
        } catch {
            throw failure("Cannot read the token file", error)
        }
        do {
            return try JSONDecoder().decode(TokenSet.self, from: data)
        } catch let error as AuthenticationError where error.code == .tokenStore {
            throw AuthenticationError(.tokenStore, "Token file \(name): \(error.message)")
        } catch {
            // The decoder's error could quote a token.
            throw failure("Damaged token file", nil, remedy: "; delete it and sign in again")
        }
    }

    /// Replaces the file, or deletes it.
    /// - Throws: ``AuthenticationError`` (`tokenStore`); the old tokens remain then.
    public func save(_ tokens: TokenSet?) throws {
        guard let tokens, !tokens.isEmpty else { return try delete() }
        let temporary = url.deletingLastPathComponent()
            .appending(path: ".\(url.lastPathComponent).\(UUID().uuidString)").path
        do {
            let data = try JSONEncoder().encode(tokens)
            let file = try SystemFile(temporary, for: .creatingNew, mode: 0o600)
            try file.append(data)
            try file.synchronize()
            try SystemFile.move(temporary, to: url.path)
        } catch {
            SystemFile.delete(temporary)
            throw failure("Cannot write the token file", error)
        }
    }

    private func delete() throws(AuthenticationError) {
        do {
            try SystemFile.remove(url.path)
        } catch {
            throw failure("Cannot delete the token file", error)
        }
    }

    private var name: String { url.lastPathComponent.debugDescription }

    private func failure(_ text: String, _ cause: (any Error)?, remedy: String = "") -> AuthenticationError {
        let reason = cause.map { ": \(($0 as NSError).localizedDescription)" } ?? ""
        return AuthenticationError(
            .tokenStore, "\(text) \(name)\(reason)\(remedy).", underlying: cause)
    }
}
