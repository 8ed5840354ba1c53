import Foundation
import HyperHive

// Code of an old app: only the vendor's names, and no imports but HyperHive and Foundation. The test is that this file
// compiles; LegacyCallSiteTests runs it.

/// A screen that loads a resource and shows its rows.
@MainActor
final class ResourceScreen {
    private(set) var text: String? = ""
    private let baseName = "legacy.sqlite"

    func signIn(_ host: String, done: @escaping (Bool) -> ()) {
        let api: String = "v1"
        HHFWController.sharedInstance().initWithCredentials(
            api,
            host: host,
            environment: "Some_environment",
            project: "Some_project",
            device: UUID().uuidString
        )
        HHFWController.sharedInstance().auth("ann", password: "open sesame") { (response) in
            guard let response = response as? NSDictionary, let status = response["status"] as? String else {
                return done(false)
            }
            done(status == "ok")
        }
    }

    func openBase(in folder: URL) -> Bool {
        HHFWController.sharedInstance().openBase(folder.appendingPathComponent(baseName).path, key: "")
    }

    func load(_ resource: String, in folder: URL, isAsync: Bool, done: @escaping (NSDictionary) -> ()) {
        HHFWController.sharedInstance().resources(baseName) { (response) in
            guard self.isOK(response) else { return }
            let path = folder.appendingPathComponent(self.baseName).path
            if isAsync {
                let params = DeltaStreamCallParams(defaultDb: ())
                params?.dataBasePath = path
                HHFWController.sharedInstance().deltaStreamAsync(
                    resource, withCache: true, deltaStreamCallParams: params
                ) { (response) in
                    if let response = response as? NSDictionary { done(response) }
                }
            } else {
                let params = DeltaStreamCallParams(defaultProperty: ())
                params?.dataBasePath = path
                HHFWController.sharedInstance().deltaStream(resource, deltaStreamCallParams: params) { (response) in
                    if let response = response as? NSDictionary { done(response) }
                }
            }
        }
    }

    func select(_ resource: String, _ table: String) {
        let controller = HHFWController.sharedInstance()
        let path = "/Documents/\(baseName)"
        let response = controller.getTablesName(path, resourceName: resource, requestParams: "", tableName: table)
        guard let name = records(response)?.first?["name"] as? String else { return }
        text = controller.query(path, query: "SELECT * FROM `\(name)`")
    }

    func records(_ json: String?) -> [[String: Any]]? {
        guard let data = json?.data(using: .utf8),
            let response = (try? JSONSerialization.jsonObject(with: data, options: [])) as? [String: Any],
            response["status"] as? String == "ok"
        else { return nil }
        let result = response["result"] as? [String: Any]
        return (result?["database"] as? [String: Any])?["records"] as? [[String: Any]]
    }

    private func isOK(_ response: Any?) -> Bool {
        (response as? NSDictionary)?["status"] as? String == "ok"
    }
}
