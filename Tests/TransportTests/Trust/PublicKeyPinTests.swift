import Foundation
import TestSupport
import Testing
import Transport

@Suite struct PublicKeyPinTests {
    private let hash = Data(0..<32)

    @Test(arguments: ["sha256/", "sha256//", ""])
    func `the texts of OkHttp, curl and Public-Key-Pins are the same pin`(prefix: String) throws {
        let pin = try PublicKeyPin(prefix + hash.base64EncodedString())
        #expect(pin.sha256 == hash && pin.description == "sha256/" + hash.base64EncodedString())
    }

    @Test func `a hash that begins with a slash is read with one slash and with two`() throws {
        let hash = Data(repeating: 0xFF, count: 32)
        for prefix in ["sha256/", "sha256//", ""] {
            #expect(try PublicKeyPin(prefix + hash.base64EncodedString()).sha256 == hash)
        }
    }

    @Test(arguments: ["", "sha256/", "sha256//short", "sha1/AAAA", "sha256/AAAA"])
    func `any other text is an error`(text: String) {
        #expect(#expect(throws: TransportError.self) { try PublicKeyPin(text) }?.code == .tls)
    }

    @Test func `a certificate has the pin of its key, in DER and in PEM, and a renewed one too`() throws {
        let pin = try PublicKeyPin(ofPublicKey: TestCertificates.publicKey)
        for certificate in [TestCertificates.original, TestCertificates.renewed] {
            #expect(try PublicKeyPin(ofCertificate: certificate) == pin)
            #expect(try PublicKeyPin(ofCertificate: Certificates.data([certificate]).pem()) == pin)
        }
        #expect(try PublicKeyPin(ofCertificate: TestCertificates.other) != pin)
        #expect(throws: TransportError.self) { try PublicKeyPin(ofCertificate: Data([1])) }
        let two = try Certificates.data([TestCertificates.original, TestCertificates.other]).pem()
        #expect(throws: TransportError.self) { try PublicKeyPin(ofCertificate: two) }
    }
}
