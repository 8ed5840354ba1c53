package import Foundation

#if canImport(Security)
    import Security
#endif

/// A generic password in the keychain of Apple's platforms.
package struct KeychainItem: Hashable, Sendable {
    private let service: String
    private let account: String

    package init(service: String, account: String) {
        self.service = service
        self.account = account
    }

    #if canImport(Security)
        /// Calls Security for the item in the data-protection keychain.
        ///
        /// That is the only one that iOS has; macOS has the older login keychain too, which ignores when an item is
        /// readable, and whose items are in backups. It is used only by a program that may not use the other one,
        /// since it has no entitlements.
        private func perform(_ call: ([String: Any]) -> Int32) -> Int32 {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: account, kSecUseDataProtectionKeychain as String: true,
            ]
            let status = call(query)
            guard status == errSecMissingEntitlement else { return status }
            query[kSecUseDataProtectionKeychain as String] = nil
            return call(query)
        }

        /// Reads the item; nil if it does not exist.
        /// - Throws: `SystemLibraryError` (`failed`), such as before the first unlock of the device.
        package func read() throws(SystemLibraryError) -> Data? {
            var item: AnyObject?
            let status = perform { query in
                let query = query.merging([kSecReturnData as String: true]) { _, new in new }
                return SecItemCopyMatching(NSDictionary(dictionary: query) as CFDictionary, &item)
            }
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw Self.error("read", status) }
            return item as? Data
        }

        /// Replaces the item, or deletes it.
        /// - Throws: `SystemLibraryError` (`failed`).
        package func write(_ data: Data?) throws(SystemLibraryError) {
            guard let data else {
                let status = perform { SecItemDelete(NSDictionary(dictionary: $0) as CFDictionary) }
                guard status == errSecSuccess || status == errSecItemNotFound else {
                    throw Self.error("delete", status)
                }
                return
            }
            let values: [String: Any] = [
                kSecValueData as String: data,
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            let status = perform { query in
                let update = {
                    SecItemUpdate(
                        NSDictionary(dictionary: query) as CFDictionary,
                        NSDictionary(dictionary: values) as CFDictionary)
                }
                let status = update()
                guard status == errSecItemNotFound else { return status }
                let item = query.merging(values) { _, new in new }
                let added = SecItemAdd(NSDictionary(dictionary: item) as CFDictionary, nil)
                // Another writer has added it meanwhile.
                return added == errSecDuplicateItem ? update() : added
            }
            guard status == errSecSuccess else { throw Self.error("write", status) }
        }

        private static func error(_ action: String, _ status: Int32) -> SystemLibraryError {
            SystemLibraryError(
                .failed, library: "Security",
                "Cannot \(action) the keychain item (OSStatus \(status)); unlock the device, or check the entitlements."
            )
        }
    #else
        /// - Throws: `SystemLibraryError` (`missingLibrary`).
        package func read() throws(SystemLibraryError) -> Data? { throw Self.missing }

        /// - Throws: `SystemLibraryError` (`missingLibrary`).
        package func write(_ data: Data?) throws(SystemLibraryError) { throw Self.missing }

        private static let missing = SystemLibraryError(
            .missingLibrary, library: "Security", "This platform has no keychain; use another token store.")
    #endif
}
