// swift-tools-version: 6.2
import PackageDescription

/// Every target is built with these; a warning stops the build.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The libraries also lend spans out of noncopyable cursors. Clients need no flag.
let lending: [SwiftSetting] = strict + [.enableExperimentalFeature("Lifetimes")]

let package = Package(
    name: "LevelKit",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "LevelKit", targets: ["LevelKit"]),
        .library(name: "DocIndex", targets: ["DocIndex"]),
        .executable(name: "lkrepl", targets: ["lkrepl"]),
        // For tests alone; only a product can be a library by itself.
        .library(name: "failing-calls", type: .dynamic, targets: ["failing-calls"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CLevelDB",
            providers: [.apt(["libleveldb-dev", "libsnappy-dev"]), .brew(["leveldb", "snappy"])]
        ),
        .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"]), .brew(["snowball"])]),
        .systemLibrary(name: "CSnappy", providers: [.apt(["libsnappy-dev"]), .brew(["snappy"])]),
        .target(name: "LevelFiles", dependencies: ["CSnappy"], swiftSettings: strict),
        .target(name: "LevelKit", dependencies: ["CLevelDB", "LevelFiles"], swiftSettings: lending),
        .target(name: "DocIndex", dependencies: ["CStemmer", "LevelKit"], swiftSettings: lending),
        .executableTarget(
            name: "lkrepl",
            dependencies: [
                "DocIndex", "LevelFiles", "LevelKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        // A catalogue that has gone through three releases.
        .executableTarget(
            name: "photo-app", dependencies: ["DocIndex"], path: "Examples/photo-app", swiftSettings: strict),
        // A process that writes while tests look at its database from outside.
        .executableTarget(
            name: "levelkit-writer",
            dependencies: ["LevelKit", "TestSupport"],
            path: "Tests/Fixtures/levelkit-writer",
            swiftSettings: strict
        ),
        // Lets calls to the system fail: loaded before the C library of a fixture process.
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
            name: "DocIndexTests",
            dependencies: ["photo-app", "DocIndex", "LevelKit", "TestSupport", "docindex-loader"],
            swiftSettings: strict),
        .testTarget(name: "RepositoryTests", swiftSettings: strict),
        .testTarget(
            name: "lkreplTests",
            dependencies: ["lkrepl", "DocIndex", "LevelFiles", "LevelKit", "TestSupport", "levelkit-writer"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
