import StoreCore
import SystemLibraries

/// Names of a resource's tables in the local database.
///
/// Without parameters `<resource>_<table>`, else `<resource>_<digest>_<table>`. The digest is the MD5 of the text of
/// the parameters, byte for byte, so the same parameters need the same text; empty text counts as `null`.
struct TableNames: Hashable, Sendable {
    let resource: String
    /// The parameters' text.
    let parameters: String
    /// MD5 of the parameters, as 32 lower-case hexadecimal digits.
    let digest: String

    /// - Throws: ``ResourceError`` (`digest`).
    init(resource: String, parameters: String) throws(ResourceError) {
        self.resource = resource
        self.parameters = parameters
        digest = try Self.digest(of: parameters)
    }

    /// Returns the MD5 of parameters, for names.
    /// - Throws: ``ResourceError`` (`digest`).
    static func digest(of parameters: String) throws(ResourceError) -> String {
        try hexadecimal(.md5, of: parameters.isEmpty ? "null" : parameters)
    }

    /// Returns the SHA-256 of parameters, which is stored in place of them; empty without parameters.
    ///
    /// Parameters may be personal data. Unlike MD5, SHA-256 has no known collisions.
    /// - Throws: ``ResourceError`` (`digest`).
    static func fingerprint(of parameters: String) throws(ResourceError) -> String {
        parameters.isEmpty ? "" : try hexadecimal(.sha256, of: parameters)
    }

    private static func hexadecimal(
        _ algorithm: MessageDigest.Algorithm, of text: String
    ) throws(ResourceError) -> String {
        let bytes: [UInt8]
        do throws(SystemLibraryError) { bytes = try MessageDigest.digest(of: Array(text.utf8), algorithm) } catch {
            throw ResourceError(.digest, "The digest of the parameters cannot be computed: \(error)")
        }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The name that a load uses.
    func local(_ table: String) -> SQLIdentifier { parameters.isEmpty ? plain(table) : hashed(table) }
    /// The name without parameters.
    func plain(_ table: String) -> SQLIdentifier { SQLIdentifier("\(resource)_\(table)") }
    /// The name with the digest of the parameters.
    func hashed(_ table: String) -> SQLIdentifier { SQLIdentifier("\(resource)_\(digest)_\(table)") }

    /// The names that a table can have for these parameters, the one with the digest first.
    func candidates(_ table: String) -> [SQLIdentifier] {
        parameters.isEmpty ? [hashed(table), plain(table)] : [hashed(table)]
    }
}
