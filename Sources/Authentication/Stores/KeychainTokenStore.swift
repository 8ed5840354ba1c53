import Foundation
import HTTPMessages
import SystemLibraries

/// A token store in the keychain, on Apple platforms.
///
/// The tokens are readable after the first unlock of the device, and stay on it: no backup to another device has them.
/// On macOS that needs an app with entitlements. Other programs store them in the login keychain, which is in backups.
/// Elsewhere, each call fails with `SystemLibraryError` (`missingLibrary`); use ``FileTokenStore``.
public struct KeychainTokenStore: TokenStore {
    private let item: KeychainItem

    /// Creates a store.
    /// - Parameters:
    ///   - service: the service of the item, such as the app's bundle identifier.
    ///   - account: the account of the item, such as the client ID or the user.
    public init(service: String, account: String) { item = KeychainItem(service: service, account: account) }

    /// Reads the item; nil if it does not exist, or cannot be decoded, as after a restored backup.
    /// - Throws: ``AuthenticationError`` (`tokenStore`), such as before the first unlock, or for an unknown version.
    public func load() throws -> TokenSet? {
        guard let data = try checked({ () throws(SystemLibraryError) in try item.read() }) else { return nil }
        do {
            return try JSONCoding.standard.decode(TokenSet.self, from: data)
        } catch let error as AuthenticationError where error.code == .tokenStore {
            throw error
        } catch {
            return nil
        }
    }

    /// Replaces the item, or deletes it.
    /// - Throws: ``AuthenticationError`` (`tokenStore`).
    public func save(_ tokens: TokenSet?) throws {
        let data = try tokens.map { try JSONCoding.standard.encode($0) }
        try checked { () throws(SystemLibraryError) in try item.write(data) }
    }

    private func checked<Result>(_ body: () throws(SystemLibraryError) -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            guard error.code == .failed else { throw error }
            throw AuthenticationError(.tokenStore, error.message, underlying: error)
        }
    }
}
