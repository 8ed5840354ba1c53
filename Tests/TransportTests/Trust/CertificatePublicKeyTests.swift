import Foundation
import TestSupport
import Testing

@testable import Transport

@Suite struct CertificatePublicKeyTests {
    @Test func `a renewed certificate has the same public key, and another key differs`() {
        #expect(CertificatePublicKey.der(ofCertificate: TestCertificates.original) == TestCertificates.publicKey)
        #expect(CertificatePublicKey.der(ofCertificate: TestCertificates.renewed) == TestCertificates.publicKey)
        let other = CertificatePublicKey.der(ofCertificate: TestCertificates.other)
        #expect(other != nil && other != TestCertificates.publicKey)
    }

    @Test func `what is no certificate has no public key`() {
        let certificate = TestCertificates.original
        for count in 0..<certificate.count {
            #expect(CertificatePublicKey.der(ofCertificate: certificate.prefix(count)) == nil)
        }
        #expect(CertificatePublicKey.der(ofCertificate: Data("-----BEGIN CERTIFICATE-----".utf8)) == nil)
        #expect(CertificatePublicKey.der(ofCertificate: TestCertificates.publicKey) == nil)
    }
}
