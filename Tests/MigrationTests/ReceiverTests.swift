import Testing

@testable import PatchbayMigration

/// What shows the type of a receiver, and where a message begins.
@Suite struct ReceiverTests {
    @Test(arguments: [
        "#ifdef DEBUG", "#endif", "#else", "#define LIMIT items[0]", "NS_ASSUME_NONNULL_BEGIN", "#import \"Log.h\"",
        "#if LIMIT > (2)",
    ])
    func `a message after a line of a directive is read`(line: String) {
        let text = """
            #import "WLClient.h"
            @implementation App
            - (void)go {
            \(line)
                [[WLClient sharedInstance] logActivity:@"x"];
                [[WLClient sharedInstance] logActivity:@"y"];
            }
            @end
            """
        let places = Samples.places(text, file: "App.m")
        #expect(
            places.contains("5 missing WLClient.logActivity:") && places.contains("6 missing WLClient.logActivity:"))
    }

    @Test(arguments: [
        "if let client = value as? WLClient { client.logActivity(\"x\") }",
        "guard let client = value as? WLClient, ready else { return }; client.logActivity(\"x\")",
        "let client = load(1) as! WLClient; client.logActivity(\"x\")",
        "let client = value as WLClient; client.logActivity(\"x\")",
        "(value as! WLClient).logActivity(\"x\")", "(value as? WLClient)?.logActivity(\"x\")",
        "switch value { case let client as WLClient: client.logActivity(\"x\") }",
    ])
    func `a cast shows the type`(text: String) {
        #expect(Samples.places(text) == ["1 missing WLClient.logActivity(_:)", "1 works WLClient"])
    }

    @Test(arguments: [
        "if let request = request { request.abort() }", "guard let r = self.request else { return }; r.abort()",
        "if let request = self.request { request.abort() }", "load { [weak self] in self?.request?.abort() }",
        "let r = request!; r.abort()", "let r = self.request; r?.abort()",
        "let r = try await WLResourceRequest(url: url); r.abort()",
        "guard let request else { return }; request.abort()",
    ])
    func `a value keeps its type in another variable, and behind a weak self`(text: String) {
        let text = "final class A {\nvar request: WLResourceRequest?\nfunc stop() {\n\(text)\n}\n}"
        #expect(Samples.places(text).contains("4 missing WLResourceRequest.abort()"))
    }

    @Test(arguments: ["if let request = other { request.abort() }", "let request = self.other; request.abort()"])
    func `a variable with the value of another type hides one of the vendor's`(text: String) {
        let text = "final class A {\nvar request: WLResourceRequest?\nvar other: Other?\nfunc stop() { \(text) }\n}"
        #expect(!Samples.places(text).contains { $0.contains("abort") })
    }

    @Test(arguments: [
        "[weakSelf.request abort];", "[self->_request abort];", "[[self request] abort];",
        "[strongSelf->_request abort];", "[[weakSelf request] abort];",
    ])
    func `the property of an object is found by each way to it`(text: String) {
        let text = """
            @interface App ()
            @property WLResourceRequest *request;
            @end
            @implementation App
            - (void)stop { \(text) }
            @end
            """
        #expect(Samples.places(text, file: "App.m").contains("5 missing WLResourceRequest.abort"))
    }

    @Test(arguments: [
        "let all = value as? [WLClient]; all.logActivity(\"x\")",
        "let state = value as? WLClient.State; state.logActivity(\"x\")",
        "let found = list(value as? WLClient); found.logActivity(\"x\")",
    ])
    func `a cast to another type than the vendor's, or of an argument, does not`(text: String) {
        #expect(!Samples.places(text).contains { $0.contains("logActivity") })
    }

    @Test(arguments: [
        ("UITextField *field; [field setDelegate:self];", "A.m"),
        ("NSOperationQueue *queue = nil; [queue addOperations:all waitUntilFinished:NO];", "A.m"),
        ("@interface A ()\n@property UITextField *field;\n@end\n[self.field setDelegate:self];", "A.m"),
        ("let queue = OperationQueue(); queue.addOperations(all, waitUntilFinished: true)", "A.swift"),
        ("func f(_ queue: OperationQueue?) { queue?.addOperation(next) }", "A.swift"),
        ("request.setValue(\"a\", forHTTPHeaderField: \"b\")", "A.swift"),
    ])
    func `a call of a class of the system is not one of the vendor's`(text: String, file: String) {
        let text = (file == "A.m" ? "#import <Connectivity/Request.h>\n" : "import SDMConnectivity\n") + text
        #expect(Samples.places(text, file: file).count == 1, "\(Samples.places(text, file: file))")
    }

    @Test(arguments: [
        ("manager.registerUser(u, password: p, error: &e, isSyncFlag: false)", "works"),
        ("manager.registerUser(u, password: p, isSyncFlag: false)", "works otherwise"),
        ("manager.registerUser(u, password: p)", "works otherwise"), ("manager.setDelegate(nil)", "works otherwise"),
        ("SMPUserManager.setDelegate(nil)", "works"),
        ("SMPUserManager.initialize(with: c).setDelegate(nil)", "works otherwise"),
    ])
    func `a call has all labels without a default, and an object has no members of its type`(
        call: String, expected: String
    ) {
        let places = Samples.places("let manager: SMPUserManager = make()\n\(call)")
        let methods = places.filter { $0.contains(".registerUser(") || $0.contains(".setDelegate(") }
        #expect(methods.count == 1 && methods[0].hasPrefix("2 \(expected) SMPUserManager."), "\(places)")
    }

    @Test func `a selector of the system shows no vendor`() {
        let text = "let id = UIApplication.shared.beginBackgroundTask(expirationHandler: {})"
        let other = (file: "B.swift", text: "let manager = ORAHTTPManager.shared()")
        #expect(Samples.places(text, with: [other]) == [])
        #expect(
            Samples.places("import OracleCX\n" + text).contains("2 ambiguous beginBackgroundTask(expirationHandler:)"))
    }

    @Test func `a type of the app may inherit from one of the vendor`() {
        let call = "import MobileFirst\nlet handler: PinHandler = make()\nhandler.submitChallengeAnswer(pin)"
        let own = (file: "B.swift", text: "final class PinHandler: SecurityCheckChallengeHandler {}")
        let place = "3 ambiguous submitChallengeAnswer(_:)"
        #expect(Samples.places(call, with: [own]).contains(place))
        #expect(!Samples.places(call).contains(place))
    }

    @Test func `a selector that one vendor has shows a type that the catalogue does not have`() {
        let text = "#import \"WLClient.h\"\nOldHandler *h;\n[h setQueryParameterValue:a forName:b];"
        #expect(
            Samples.places(text, file: "A.m").contains("3 works otherwise setQueryParameterValue:forName:"))
    }

    @Test func `a selector with other labels than those of the vendor is not its own`() {
        let text = "import MobileFirst\nsession.logout(completionHandler: { _ in })"
        #expect(Samples.places(text).contains("2 ambiguous logout(completionHandler:)"))
    }

    @Test(arguments: [
        (
            "other.obtainAuthorizationHeader(forScope: a, completionHandler: b)", "A.swift",
            "2 missing obtainAuthorizationHeader(forScope:completionHandler:)"
        ),
        (
            "[other obtainAuthorizationHeaderForScope:a completionHandler:b];", "A.m",
            "2 missing obtainAuthorizationHeaderForScope:completionHandler:"
        ),
        ("other.setQueryParameter(a, forName: b)", "A.swift", "2 works otherwise setQueryParameter(_:forName:)"),
    ])
    func `a member that the module does not have is found by its selector`(call: String, file: String, place: String) {
        let head = file == "A.m" ? "#import \"WLClient.h\"\n" : "import MobileFirst\n"
        #expect(Samples.places(head + call, file: file).contains(place))
    }
}
