// What the Darwin branches of this package use of Security, and of Apple's Foundation beyond Linux's, as declared in
// Apple's documentation. Only types are checked with it.
public import Foundation
public import FoundationNetworking

// Core Foundation
public typealias CFString = String
public typealias CFData = NSData
public typealias CFArray = NSArray
public typealias CFDictionary = NSDictionary
public typealias CFError = NSError
public func CFErrorGetCode(_ error: CFError) -> Int { fatalError() }

// Certificates and trust
public final class SecCertificate: Sendable {}
public final class SecTrust {}
public final class SecIdentity {}
public func SecCertificateCreateWithData(_ allocator: AnyObject?, _ data: CFData) -> SecCertificate? { fatalError() }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }
@discardableResult public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> Int32 { fatalError() }
@discardableResult public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> Int32 { fatalError() }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { fatalError() }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { fatalError() }

// PKCS #12
public var errSecSuccess: Int32 { 0 }
public var kSecImportExportPassphrase: CFString { "passphrase" }
public var kSecImportToMemoryOnly: CFString { "memory" }
public var kSecImportItemIdentity: CFString { "identity" }
public func SecPKCS12Import(
    _ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> Int32 { fatalError() }

// Keychain
public var errSecItemNotFound: Int32 { -25300 }
public var errSecDuplicateItem: Int32 { -25299 }
public var errSecMissingEntitlement: Int32 { -34018 }
public var kSecUseDataProtectionKeychain: CFString { "nleg" }
public var kSecClass: CFString { "class" }
public var kSecClassGenericPassword: CFString { "genp" }
public var kSecAttrService: CFString { "svce" }
public var kSecAttrAccount: CFString { "acct" }
public var kSecAttrAccessible: CFString { "pdmn" }
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { "cku" }
public var kSecReturnData: CFString { "r_Data" }
public var kSecValueData: CFString { "v_Data" }
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
}
public var kSecAttrKeyType: CFString { "type" }
public var kSecAttrKeyTypeRSA: CFString { "42" }
public var kSecAttrKeyClass: CFString { "kcls" }
public var kSecAttrKeyClassPrivate: CFString { "1" }
public var kSecAttrKeyClassPublic: CFString { "0" }
public var kSecAttrKeySizeInBits: CFString { "bsiz" }
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

// SecProtocolTypes.h
public enum tls_protocol_version_t { case TLSv12, TLSv13 }

// Foundation
extension URLSessionConfiguration {
    public var allowsExpensiveNetworkAccess: Bool { get { fatalError() } set {} }
    public var allowsConstrainedNetworkAccess: Bool { get { fatalError() } set {} }
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t { get { fatalError() } set {} }
}
extension URLRequest {
    public var assumesHTTP3Capable: Bool { get { fatalError() } set {} }
}
extension URLProtectionSpace {
    public var serverTrust: SecTrust? { fatalError() }
}
extension URLCredential {
    public convenience init(trust: SecTrust) { fatalError() }
    public convenience init(identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence) {
        fatalError()
    }
}
