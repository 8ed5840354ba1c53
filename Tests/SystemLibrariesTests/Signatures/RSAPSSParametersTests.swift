import Foundation
import Testing

@testable import SystemLibraries

@Suite struct RSAPSSParametersTests {
    private static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]

    private static func hash(_ identifier: [UInt8] = AlgorithmIdentifiers.sha512, null: Bool = true) -> [UInt8] {
        DERWriter.sequence(
            DERWriter.element(.objectIdentifier, identifier) + (null ? DERWriter.element(.null, []) : []))
    }

    private static func parameters(
        _ hash: [UInt8] = hash(), mask: [UInt8] = hash(), function: [UInt8] = AlgorithmIdentifiers.mgf1,
        salt: [UInt8]? = [64], more: [UInt8] = []
    ) -> [UInt8] {
        let mask = DERWriter.sequence(DERWriter.element(.objectIdentifier, function) + mask)
        let salt = salt.map { DERWriter.element(.element2, DERWriter.element(.integer, $0)) } ?? []
        return DERWriter.sequence(
            DERWriter.element(.element0, hash) + DERWriter.element(.element1, mask) + salt + more)
    }

    static let cases: [(name: String, parameters: [UInt8], isAllowed: Bool)] = [
        ("none", [], true),
        ("those of the scheme", parameters(), true),
        ("without NULL", parameters(hash(null: false), mask: hash(null: false)), true),
        ("a least salt that is shorter", parameters(salt: [32]), true),
        ("the default salt", parameters(salt: nil), true),
        ("a longer salt", parameters(salt: [65]), false),
        ("a negative salt", parameters(salt: [0x80]), false),
        ("a salt of two bytes", parameters(salt: [1, 0]), false),
        ("another hash", parameters(hash(sha256)), false),
        ("another hash of the mask", parameters(mask: hash(sha256)), false),
        ("another mask", parameters(function: AlgorithmIdentifiers.rsaPSS), false),
        ("the defaults, which are SHA-1", DERWriter.sequence([]), false),
        ("NULL", DERWriter.element(.null, []), false),
        ("another trailer", parameters(more: [0xA3, 3, 2, 1, 2]), false),
        ("more after them", parameters() + [5, 0], false),
    ]

    @Test(arguments: cases.indices) func `a key is read only if its parameters allow the scheme`(index: Int) throws {
        let (name, parameters, isAllowed) = Self.cases[index]
        let key = RSAPublicKeyEncoding.pkcs1(modulus: Data(repeating: 0xFF, count: 256), exponent: Data([3]))
        let algorithm = DERWriter.sequence(
            DERWriter.element(.objectIdentifier, AlgorithmIdentifiers.rsaPSS) + parameters)
        let der = DERWriter.sequence(algorithm + DERWriter.element(.bitString, [0] + Array(key)))
        #expect(PublicKeyContents(der: Data(der))?.kind == (isAllowed ? .rsaPSS : nil), "\(name)")
    }

    @Test func `a key only for PSS has no other signatures, also after its encoding`() throws {
        let contents = try #require(PrivateKeyContents(der: PrivateKey.generate(.rsaPSS).der))
        let key = try PrivateKey(contents)
        let verifier = try PublicKey(#require(PublicKeyContents(der: key.publicContents().der)))
        #expect(try verifier.isValid(key.signature(of: [1], .rsaPSS), of: [1], .rsaPSS))
        #expect(throws: SystemLibraryError.self) { try key.signature(of: [1], .rsaPKCS1) }
        #expect(throws: SystemLibraryError.self) { try verifier.isValid([1], of: [1], .rsaPKCS1) }
    }
}
