import Foundation
import OracleCX

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// Code of an old app: only the vendor's names, and no imports but OracleCX and Foundation. The test is that this file
// compiles; LegacyCallSiteTests runs it.

/// Sends reports of the app.
final class Reporter {
    private(set) var lastError: NSError?

    func report(_ values: NSDictionary, to url: String, done: @escaping (Int, String?) -> Void) {
        let message = ORARequest(url: url)
        message.requestType = POST
        message.payload = values as? [AnyHashable: Any]
        message.headers = ["X-Client": "7"]
        message.compression = true
        message.retryCount = 3
        message.priotity = Immediate
        message.requestTAG = "report"
        ORAHTTPManager.shared().addRequest(message) { response in
            self.lastError = response.error as NSError?
            let status = (response.response as? HTTPURLResponse)?.statusCode ?? 0
            done(status, response.requestTag)
        }
    }

    func goOnInBackground(_ isOn: Bool) -> Bool {
        let container = ORACoreDataContainer()
        return container.putValue(isOn ? "true" : "false", forKey: ORAConfigHTTPBackgroundTaskEnabled())
    }
}

/// A screen that shows a server's response.
@MainActor
final class StateScreen {
    private(set) var text = ""
    private(set) var isBusy = false

    func load(_ url: String, done: @escaping () -> Void) {
        isBusy = true
        let request = ORARequest(payload: ["a": 1])
        request.url = url
        request.requestType = GET
        request.priority = Normal
        ORAHTTPManager.shared().addRequest(
            request,
            completionHandler: { response in
                self.isBusy = false
                self.text =
                    response.error?.localizedDescription ?? String(decoding: response.data ?? Data(), as: UTF8.self)
                done()
            })
    }
}

/// A setting and a module of the app, as in the vendor's guide.
final class AppRegion: ORAConfigSetting {
    override func keyDescription() -> String { "The server region" }
    override func keyName() -> String { "app_region" }
    override func getDefaultValue() -> String { "north" }
    override func isValid(_ value: String) -> Bool { !value.isEmpty }
}

final class AppContainer: ORABaseDataContainer {
    override init() { super.init() }
    override func getModuleId() -> String { "APP" }
    override func getConfig(_ key: String) -> ORAConfigSetting { AppRegion() }
}
