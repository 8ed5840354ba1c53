import Foundation
import TestSupport
import Testing
import Transport

@Suite struct CertificatesTests {
    private let first = Data(repeating: 0x30, count: 100)
    private let second = Data([0x30, 1, 2])

    private func pem(_ certificate: Data, lineEnd: String = "\n") -> String {
        let lines = certificate.base64EncodedString(options: .lineLength64Characters)
            .replacing("\r\n", with: lineEnd)
        return ["-----BEGIN CERTIFICATE-----", lines, "-----END CERTIFICATE-----", ""].joined(separator: lineEnd)
    }

    @Test(arguments: ["\n", "\r\n"])
    func `PEM with any number of certificates and texts between them is read`(lineEnd: String) throws {
        let text = "Issuer: a-----b" + lineEnd + pem(first, lineEnd: lineEnd) + "other" + lineEnd + pem(second)
        #expect(try Certificates.data([Data(text.utf8), second]).der() == [first, second, second])
    }

    @Test func `PEM and DER have the same certificates`() throws {
        let pem = try Certificates.data([first, second]).pem()
        #expect(String(decoding: pem, as: UTF8.self) == self.pem(first) + self.pem(second))
        #expect(try Certificates.data([pem]).der() == [first, second])
        #expect(try Certificates.data([]).pem().isEmpty)
    }

    @Test func `a file is read with each use`() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "ca.pem")
        try Data(pem(first).utf8).write(to: file)
        #expect(try Certificates.file(file).der() == [first])
        try second.write(to: file)
        #expect(try Certificates.file(file).der() == [second])
    }

    @Test(arguments: [
        "-----BEGIN CERTIFICATE-----\nMAEC", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY-----\nMAEC\n-----END PRIVATE KEY-----",
    ])
    func `damaged PEM and that of a key are errors`(text: String) throws {
        let error = #expect(throws: TransportError.self) { try Certificates.data([Data(text.utf8)]).der() }
        #expect(error?.code == .tls && error?.message.contains("MAEC") == false)
    }

    @Test func `a file that is not there is an error with its name`() throws {
        let error = #expect(throws: TransportError.self) { try Certificates.file(URL(filePath: "/no/ca.pem")).der() }
        #expect(error?.code == .tls && error?.message.contains("\"ca.pem\"") == true)
    }
}
