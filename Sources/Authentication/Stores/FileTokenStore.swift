import Coordination
public import Foundation
import HTTPMessages
import SystemLibraries

/// A token store in a file that only its owner can read and write (mode 0600).
///
/// The tokens are not encrypted. Saving replaces the file atomically: after a crash it has the old or the new tokens.
/// New tokens are written to `.NAME.new` beside it; what a crash leaves there is deleted by the next load or save.
///
/// Several clients and processes may use one file: `.NAME.lock` beside it, an empty file, lets one of them at a time
/// use the refresh token. Where that file cannot be created, they are not kept apart.
public struct FileTokenStore: TokenStore {
    /// The file.
    public let url: URL

    /// Creates a store; its folder must exist.
    public init(at url: URL) { self.url = url }

    /// Reads the file; nil if it does not exist.
    /// - Throws: ``AuthenticationError`` (`tokenStore`) if it cannot be read, is not a token file, or has an unknown
    ///   version.
    public func load() throws -> TokenSet? {
        let data: Data?
        do {
            data = try SmallFile(url).read()
        } catch {
            throw failure("Cannot read the token file", error)
        }
        guard let data else { return nil }
        do {
            return try JSONCoding.standard.decode(TokenSet.self, from: data)
        } catch let error as AuthenticationError where error.code == .tokenStore {
            throw AuthenticationError(.tokenStore, "Token file \(name): \(error.message)")
        } catch {
            // The decoder's error could quote a token.
            throw failure("Damaged token file", nil, remedy: "; delete it and sign in again")
        }
    }

    /// Replaces the file; nil deletes it.
    /// - Throws: ``AuthenticationError`` (`tokenStore`); the old tokens remain then.
    public func save(_ tokens: TokenSet?) throws {
        guard let tokens else {
            do throws(POSIXError) {
                return try SmallFile(url).remove()
            } catch {
                throw failure("Cannot delete the token file", error)
            }
        }
        try write(tokens) { file, data throws(POSIXError) in try file.replace(with: data) }
    }

    /// Replaces the file, unless another client or process has changed its tokens.
    /// - Throws: ``AuthenticationError`` (`tokenStore`); the old tokens remain then.
    public func save(_ tokens: TokenSet, replacing expected: TokenSet?) throws -> Bool {
        try write(tokens) { file, data throws(POSIXError) in
            try file.replace(with: data) { current in
                guard let current else { return expected == nil }
                // A damaged file is for the next load to report.
                guard let current = try? JSONCoding.standard.decode(TokenSet.self, from: current) else { return false }
                return TokenSet.areSame(current, expected)
            }
        }
    }

    /// Runs a token request while no other client or process runs one with the tokens of this file.
    public func withRefreshLock<Result: Sendable>(
        _ request: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let lock = FileLock(url.deletingLastPathComponent().appending(path: ".\(url.lastPathComponent).lock"))
        return try await lock.withLock(request)
    }

    private func write<Result>(
        _ tokens: TokenSet, _ body: (SmallFile, Data) throws(POSIXError) -> Result
    ) throws -> Result {
        let data = try JSONCoding.standard.encode(tokens)
        do {
            return try body(SmallFile(url), data)
        } catch {
            throw failure("Cannot write the token file", error)
        }
    }

    private var name: String { url.lastPathComponent.debugDescription }

    private func failure(_ text: String, _ cause: (any Error)?, remedy: String = "") -> AuthenticationError {
        let reason = cause.map { ": \(($0 as NSError).localizedDescription)" } ?? ""
        return AuthenticationError(
            .tokenStore, "\(text) \(name)\(reason)\(remedy).", underlying: cause)
    }
}
