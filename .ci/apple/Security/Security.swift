// What the Darwin branches of this package use of Security, as declared in Apple's documentation. Only types are checked
// with it.
public import Foundation

// Core Foundation
public typealias CFString = NSString
public typealias CFData = NSData
public typealias CFArray = NSArray
public typealias CFDictionary = NSDictionary
public typealias CFError = NSError
public func CFErrorGetCode(_ error: CFError!) -> Int { fatalError() }

private func text(_ text: String) -> CFString { NSString(string: text) }

// Certificates and trust
public final class SecCertificate: Sendable {}
public final class SecTrust {}
public final class SecIdentity: Sendable {}
public func SecCertificateCreateWithData(_ allocator: AnyObject?, _ data: CFData) -> SecCertificate? { fatalError() }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }
@discardableResult public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> Int32 { fatalError() }
@discardableResult public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> Int32 { fatalError() }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { fatalError() }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { fatalError() }

// PKCS #12
public var errSecSuccess: Int32 { 0 }
public var kSecImportExportPassphrase: CFString { text("passphrase") }
public var kSecImportToMemoryOnly: CFString { text("memory") }
public var kSecImportItemIdentity: CFString { text("identity") }
public func SecPKCS12Import(
    _ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> Int32 { fatalError() }

// Keychain
public var errSecItemNotFound: Int32 { -25300 }
public var errSecDuplicateItem: Int32 { -25299 }
public var errSecMissingEntitlement: Int32 { -34018 }
public var kSecUseDataProtectionKeychain: CFString { text("nleg") }
public var kSecClass: CFString { text("class") }
public var kSecClassGenericPassword: CFString { text("genp") }
public var kSecAttrService: CFString { text("svce") }
public var kSecAttrAccount: CFString { text("acct") }
public var kSecAttrAccessible: CFString { text("pdmn") }
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { text("cku") }
public var kSecReturnData: CFString { text("r_Data") }
public var kSecValueData: CFString { text("v_Data") }
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<AnyObject?>?) -> Int32 {
    fatalError()
}
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<AnyObject?>?) -> Int32 { fatalError() }
public func SecItemUpdate(_ query: CFDictionary, _ attributes: CFDictionary) -> Int32 { fatalError() }
public func SecItemDelete(_ query: CFDictionary) -> Int32 { fatalError() }

// Keys
public final class SecKey: Sendable {}
public struct SecKeyAlgorithm {
    public static var rsaSignatureMessagePKCS1v15SHA256: SecKeyAlgorithm { SecKeyAlgorithm() }
    public static var rsaSignatureMessagePSSSHA512: SecKeyAlgorithm { SecKeyAlgorithm() }
}
public var kSecAttrKeyType: CFString { text("type") }
public var kSecAttrKeyTypeRSA: CFString { text("42") }
public var kSecAttrKeyClass: CFString { text("kcls") }
public var kSecAttrKeyClassPrivate: CFString { text("1") }
public var kSecAttrKeyClassPublic: CFString { text("0") }
public var kSecAttrKeySizeInBits: CFString { text("bsiz") }
public func SecKeyCreateWithData(
    _ data: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? { fatalError() }
public func SecKeyCreateRandomKey(
    _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? { fatalError() }
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { fatalError() }
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { fatalError() }
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool { fatalError() }
