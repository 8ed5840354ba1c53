/// `RSASSA-PSS-params` of a key (RFC 4055, section 3.1), by which its owner restricts it.
enum RSAPSSParameters {
    /// Whether parameters in DER allow the signatures of ``SignatureScheme/rsaPSS``: SHA-512, MGF1 with SHA-512, and a
    /// least salt of at most 64 bytes.
    ///
    /// The hash and the mask have to be there: their defaults are those of SHA-1.
    static func allowSHA512(_ parameters: DERReader) -> Bool {
        var outer = parameters
        guard var parameters = outer.takeContents(.sequence), outer.bytes.isEmpty,
            var hash = parameters.takeContents(.element0), isSHA512(&hash),
            var mask = parameters.takeContents(.element1), isMGF1(&mask)
        else { return false }
        // The default of 20 bytes.
        guard !parameters.bytes.isEmpty else { return true }
        guard var salt = parameters.takeContents(.element2), let length = salt.takeContents(.integer)?.bytes,
            salt.bytes.isEmpty, parameters.bytes.isEmpty
        else { return false }
        return length.count == 1 && length.allSatisfy { $0 <= 64 }
    }

    private static func isSHA512(_ reader: inout DERReader) -> Bool {
        guard var algorithm = reader.takeContents(.sequence), reader.bytes.isEmpty,
            algorithm.takeContents(.objectIdentifier).map({ Array($0.bytes) }) == AlgorithmIdentifiers.sha512
        else { return false }
        // NULL may be omitted (section 2.1).
        return algorithm.bytes.isEmpty || Array(algorithm.bytes) == [DERReader.Tag.null.rawValue, 0]
    }

    private static func isMGF1(_ reader: inout DERReader) -> Bool {
        guard var algorithm = reader.takeContents(.sequence), reader.bytes.isEmpty,
            algorithm.takeContents(.objectIdentifier).map({ Array($0.bytes) }) == AlgorithmIdentifiers.mgf1
        else { return false }
        return isSHA512(&algorithm)
    }
}
