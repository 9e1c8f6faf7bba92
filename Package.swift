// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target. Warnings are errors.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Settings of the libraries, which also lend spans from noncopyable cursors. Clients need no flag.
let lending: [SwiftSetting] = strict + [.enableExperimentalFeature("Lifetimes")]

/// A product that only one of the traits needs.
func product(_ name: String, of package: String, for trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

let package = Package(
    name: "LevelKit",
    platforms: [.macOS(.v26)],
    // lkrepl is not a product: SwiftPM resolves for every client what any product depends on. Within this
    // package, `swift build --product lkrepl` works all the same.
    products: [
        .library(name: "LevelKit", targets: ["LevelKit"]),
        .library(name: "DocIndex", targets: ["DocIndex"]),
        // A server needs the trait Server; a client, and TLS, the trait Network.
        .library(name: "DocSync", targets: ["DocSync", "DocNetwork"]),
        .library(name: "Inspector", targets: ["Inspector", "DocNetwork"]),
        .library(name: "Renditions", targets: ["Renditions"]),
        .library(name: "StorePackages", targets: ["StorePackages"]),
        // Used only by tests. A dynamic library has to be a product.
        .library(name: "failing-calls", type: .dynamic, targets: ["failing-calls"]),
    ],
    traits: [
        // Off by default: then no package below except ArgumentParser is resolved. The Makefile turns them on.
        .trait(
            name: "Server",
            description: "An HTTP server that only this machine can reach, for the inspector and for replication."),
        .trait(
            name: "Network", description: "The server, an HTTP client, and TLS for both, for replication.",
            enabledTraits: ["Server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLevelDB",
            providers: [.apt(["libleveldb-dev", "libsnappy-dev"]), .brew(["leveldb", "snappy"])]
        ),
        .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"]), .brew(["snowball"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"]), .brew(["utf8proc"])]),
        .systemLibrary(name: "CSnappy", providers: [.apt(["libsnappy-dev"]), .brew(["snappy"])]),
        // Only where CryptoKit does not exist.
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        // Only where ImageIO does not exist.
        .systemLibrary(name: "CTurboJPEG", providers: [.apt(["libturbojpeg0-dev"])]),
        .target(name: "LevelFiles", dependencies: ["CSnappy"], swiftSettings: strict),
        .target(name: "LevelKit", dependencies: ["CLevelDB", "LevelFiles"], swiftSettings: lending),
        .target(name: "DocumentModel", dependencies: ["LevelKit"], swiftSettings: lending),
        .target(
            name: "TextIndexing", dependencies: ["CStemmer", "CUTF8Proc", "DocumentModel", "LevelKit"],
            swiftSettings: lending),
        .target(
            name: "DocIndex",
            dependencies: [
                "DocumentModel", "LevelKit", "TextIndexing",
                .target(name: "CCrypto", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: lending),
        .target(name: "DocSync", dependencies: ["DocIndex"], swiftSettings: lending),
        .target(name: "Pictures", swiftSettings: strict),
        .target(
            name: "Renditions",
            dependencies: [
                "DocIndex", "LevelFiles", "LevelKit", "Pictures",
                .target(name: "CTurboJPEG", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict),
        .target(
            name: "StorePackages", dependencies: ["DocIndex", "LevelKit", "Pictures"], swiftSettings: strict),
        .target(
            name: "Inspector", dependencies: ["DocIndex", "DocSync", "LevelKit", "Pictures"],
            exclude: ["Assets/inspector.css", "Assets/inspector.js"],
            swiftSettings: strict),
        // Empty without one of the traits.
        .target(
            name: "DocNetwork",
            dependencies: [
                "DocSync", "Inspector",
                product("NIOCore", of: "swift-nio", for: "Server"),
                product("NIOHTTP1", of: "swift-nio", for: "Server"),
                product("NIOPosix", of: "swift-nio", for: "Server"),
                product("NIOSSL", of: "swift-nio-ssl", for: "Network"),
                product("AsyncHTTPClient", of: "async-http-client", for: "Network"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "lkrepl",
            dependencies: [
                "DocIndex", "DocNetwork", "DocSync", "Inspector", "LevelFiles", "LevelKit", "Renditions",
                "StorePackages", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
        // A catalog that has been through three releases.
        .executableTarget(
            name: "photo-app", dependencies: ["DocIndex"], path: "Examples/photo-app", swiftSettings: strict),
        // A list of birds with searches while typing, pages, saved searches and live results.
        .executableTarget(
            name: "bird-list", dependencies: ["DocIndex"], path: "Examples/bird-list", swiftSettings: strict),
        // A process that writes while tests inspect its database from another process.
        .executableTarget(
            name: "levelkit-writer",
            dependencies: ["LevelKit", "TestSupport"],
            path: "Tests/Fixtures/levelkit-writer",
            swiftSettings: strict
        ),
        // Makes system calls fail: loaded before the C library of a fixture process.
        .target(name: "failing-calls", path: "Tests/Fixtures/failing-calls"),
        // A process that fills a store until tests kill it.
        .executableTarget(
            name: "docindex-loader",
            dependencies: ["DocIndex", "LevelKit", "TestSupport"],
            path: "Tests/Fixtures/docindex-loader",
            swiftSettings: strict
        ),
        .target(
            name: "TestSupport",
            dependencies: ["DocIndex", "LevelFiles", "LevelKit"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "LevelFilesTests", dependencies: ["LevelFiles", "LevelKit", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "LevelKitTests",
            dependencies: ["CLevelDB", "LevelFiles", "LevelKit", "TestSupport", "levelkit-writer"],
            swiftSettings: strict),
        .testTarget(
            name: "DocumentModelTests", dependencies: ["DocumentModel", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "TextIndexingTests", dependencies: ["LevelKit", "TestSupport", "TextIndexing"], swiftSettings: strict),
        .testTarget(
            name: "DocIndexTests",
            dependencies: [
                "bird-list", "photo-app", "DocIndex", "DocumentModel", "LevelKit", "TestSupport", "TextIndexing",
                "docindex-loader",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DocSyncTests", dependencies: ["DocIndex", "DocSync", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "DocNetworkTests",
            dependencies: [
                "DocIndex", "DocNetwork", "DocSync", "Inspector", "TestSupport",
                product("NIOCore", of: "swift-nio", for: "Server"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "InspectorTests", dependencies: ["DocIndex", "DocSync", "Inspector", "LevelKit", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "RenditionsTests", dependencies: ["DocIndex", "LevelKit", "Pictures", "Renditions", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "StorePackagesTests", dependencies: ["DocIndex", "LevelKit", "StorePackages", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "RepositoryTests", swiftSettings: strict),
        .testTarget(
            name: "lkreplTests",
            dependencies: [
                "lkrepl", "DocIndex", "LevelFiles", "LevelKit", "StorePackages", "TestSupport", "TextIndexing",
                "levelkit-writer",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
