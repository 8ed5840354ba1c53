import Foundation
import Testing

@testable import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Challenges on Apple's platforms") struct AuthChallengeDispositionTests {
    @Test(
        "default handling for server trust and proxies, rejection for all others",
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
        @Test("the constant for server trust has the expected value") func name() {
            #expect(NSURLAuthenticationMethodServerTrust == "NSURLAuthenticationMethodServerTrust")
        }
    #endif
}
