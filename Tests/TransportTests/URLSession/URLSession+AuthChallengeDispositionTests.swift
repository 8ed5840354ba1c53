import Foundation
import Testing

@testable import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Challenges on Apple's platforms") struct AuthChallengeDispositionTests {
    @Test(
        "the system decides about servers and proxies, and answers nothing else",
        arguments: [
            ("NSURLAuthenticationMethodServerTrust", true), ("NSURLAuthenticationMethodClientCertificate", false),
            (NSURLAuthenticationMethodDefault, false), (NSURLAuthenticationMethodHTTPBasic, false),
            (NSURLAuthenticationMethodHTTPDigest, false), (NSURLAuthenticationMethodHTMLForm, false),
            (NSURLAuthenticationMethodNTLM, false), (NSURLAuthenticationMethodNegotiate, false), ("", false),
        ])
    func dispositions(method: String, isDefault: Bool) {
        typealias Disposition = URLSession.AuthChallengeDisposition
        let ours = Disposition(forMethod: method, isProxy: false)
        #expect(ours == (isDefault ? .performDefaultHandling : .rejectProtectionSpace))
        #expect(Disposition(forMethod: method, isProxy: true) == .performDefaultHandling)
    }

    #if canImport(Darwin) && !canImport(FoundationNetworking)
        @Test("the method for servers has the name that is compared") func name() {
            #expect(NSURLAuthenticationMethodServerTrust == "NSURLAuthenticationMethodServerTrust")
        }
    #endif
}
