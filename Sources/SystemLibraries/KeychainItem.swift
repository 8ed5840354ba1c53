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
        private var query: [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: account,
            ]
        }

        /// Reads the item; nil if it does not exist.
        /// - Throws: `SystemLibraryError` (`failed`), such as before the first unlock of the device.
        package func read() throws(SystemLibraryError) -> Data? {
            var query = query
            query[kSecReturnData as String] = true
            var item: AnyObject?
            let status = SecItemCopyMatching(NSDictionary(dictionary: query) as CFDictionary, &item)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw Self.error("read", status) }
            return item as? Data
        }

        /// Replaces the item, or deletes it.
        /// - Throws: `SystemLibraryError` (`failed`).
        package func write(_ data: Data?) throws(SystemLibraryError) {
            let query = query
            guard let data else {
                let status = SecItemDelete(NSDictionary(dictionary: query) as CFDictionary)
                guard status == errSecSuccess || status == errSecItemNotFound else {
                    throw Self.error("delete", status)
                }
                return
            }
            let values: [String: Any] = [
                kSecValueData as String: data,
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(
                NSDictionary(dictionary: query) as CFDictionary, NSDictionary(dictionary: values) as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(
                    NSDictionary(dictionary: query.merging(values) { _, new in new }) as CFDictionary, nil)
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
