public import Foundation

/// Signs with an RSA key: RSASSA-PKCS1-v1_5 with SHA-256 (`RS256` of RFC 7518, section 3.3).
///
/// ``RSAPrivateKey`` conforms. Implement it for a key in hardware or in a service.
public protocol RS256Signer: Sendable {
    /// Signs data.
    /// - Returns: the signature, as long as the key's modulus.
    /// - Throws: any error; the token request fails with it.
    func signature(of data: Data) async throws -> Data
}
