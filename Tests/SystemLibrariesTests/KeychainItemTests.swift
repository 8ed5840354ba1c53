import Foundation
import Testing

@testable import SystemLibraries

@Suite struct KeychainItemTests {
    #if !canImport(Security)
        @Test func `a platform without a keychain says so at the call`() {
            let item = KeychainItem(service: "s", account: "a")
            for call in [{ _ = try item.read() }, { try item.write(Data()) }] {
                let error = #expect(throws: SystemLibraryError.self) { try call() }
                #expect(error?.code == .missingLibrary)
            }
        }
    #endif
}
