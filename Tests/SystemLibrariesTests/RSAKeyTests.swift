import Foundation
import Testing

@testable import SystemLibraries

@Suite struct RSAKeyTests {
    @Test func `a generated key can be read and signs`() throws {
        let key = try RSAKey(pkcs1: RSAKey.generate(bits: 2048))
        let signature = try key.signature(of: Data("text".utf8))
        #expect(try signature.count == 256 && signature == key.signature(of: Data("text".utf8)))
        #expect(try signature != key.signature(of: Data()))
    }

    @Test(arguments: [Data(), Data([0x30, 0x00]), Data(repeating: 0x30, count: 500)])
    func `other data is no key`(data: Data) {
        let error = #expect(throws: SystemLibraryError.self) { try RSAKey(pkcs1: data) }
        #expect(error?.code == .invalidData)
    }

    #if !canImport(Security)
        @Test func `a missing library is a typed error`() {
            let error = #expect(throws: SystemLibraryError.self) {
                try CryptoFunctions.load(from: ["libnone.so.1", "libnone.so"])
            }
            #expect(error?.code == .missingLibrary && error?.library == "libnone.so")
        }

        @Test func `a platform without a keychain says so at the call`() {
            let item = KeychainItem(service: "s", account: "a")
            for call in [{ _ = try item.read() }, { try item.write(Data()) }] {
                let error = #expect(throws: SystemLibraryError.self) { try call() }
                #expect(error?.code == .missingLibrary)
            }
        }
    #endif
}
