import Foundation
import HTTPMessages
import Testing

@testable import Transport

@Suite struct ProxyEnvironmentTests {
    private func sendsToProxy(_ url: String, _ environment: [String: String]) throws -> Bool {
        ProxyEnvironment(environment).sendsToProxy(Origin(try URL(httpString: url)))
    }

    @Test(
        arguments: [
            (["http_proxy": "proxy:3128"], true), (["http_proxy": "http://user:pw@proxy:3128/"], true),
            (["all_proxy": "HTTPS://proxy"], true), (["ALL_PROXY": "http://proxy"], true),
            (["http_proxy": "", "all_proxy": "proxy"], true), ([:], false), (["http_proxy": ""], false),
            // libcurl does not read these names for http, since a server could set the first one for a CGI program.
            (["HTTP_PROXY": "proxy"], false), (["https_proxy": "proxy"], false),
            // A SOCKS proxy passes the fields on.
            (["http_proxy": "socks5://proxy"], false), (["all_proxy": "socks4a://proxy"], false),
            (["http_proxy": "socks5h://proxy", "all_proxy": "proxy"], false),
        ] as [([String: String], Bool)])
    func `the variables that libcurl reads choose the proxy of http`(
        environment: [String: String], isUsed: Bool
    ) throws {
        #expect(try sendsToProxy("http://h/", environment) == isUsed)
        #expect(try !sendsToProxy("https://h/", environment))
    }

    @Test(
        arguments: [
            ("*", "h", false), ("a,h", "h", false), ("a h", "H", false), ("example.com", "example.com", false),
            ("example.com", "a.b.example.com.", false), (".example.com", "example.com", false),
            ("example.com.", "a.example.com", false), ("EXAMPLE.com", "a.example.COM", false),
            ("example.com", "badexample.com", true), ("a.example.com", "example.com", true), ("", "h", true),
            ("10.0.0.0/8", "10.1.2.3", false), ("10.0.0.0/8", "11.1.2.3", true), ("10.0.0.0/33", "10.0.0.0", true),
            ("192.168.1.128/25", "192.168.1.200", false), ("192.168.1.128/25", "192.168.1.100", true),
            ("0.0.0.0/0", "8.8.8.8", false), ("10.0.0/8", "10.0.0.1", true), ("10.0.0.0/8", "ten.example.com", true),
            ("127.0.0.1", "127.0.0.1", false), ("127.0.0.1", "127.0.0.2", true), ("::1", "[::1]", false),
        ])
    func `a host of no_proxy gets no credentials of a proxy`(exceptions: String, host: String, isUsed: Bool) throws {
        for name in ["no_proxy", "NO_PROXY"] {
            let environment = ["http_proxy": "proxy:3128", name: exceptions]
            #expect(try sendsToProxy("http://\(host):8080/", environment) == isUsed, "\(name)")
        }
    }
}
