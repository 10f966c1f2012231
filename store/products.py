"""Names of tools, languages and services that anybody may name: what makes a word in a text a thing."""

from __future__ import annotations

# As they are folded: lower case. A word that means something else, too, stands below, not here.
NAMES = frozenset(
    """
    airflow alembic alertmanager alpine anaconda ansible antd apache aliyun anthropic argocd aspnet astro asyncio
    auth0 axios azure babel bazel bigquery bitbucket bootstrap boto3 bun bullmq cassandra cdk celery centos ceph
    chatgpt chromadb chromium circleci clickhouse cloudflare cloudfront cmake cockroachdb codecov conan confluence
    consul couchbase couchdb cpython cuda cypress cython dask datadog debian deno deepseek dgraph
    dify discord django docker docusaurus dotnet drizzle druid dubbo duckdb dynamodb ebpf elasticsearch electron elixir
    emacs envoy erlang esbuild eslint etcd fastapi fastmcp faiss ffmpeg figma filebeat firebase firefox fluentd flutter
    flyway gatsby gcc gcp gerrit github gitlab gitea golang gradle grafana graphql graphviz greenplum grpc
    gunicorn hadoop haproxy harbor hashicorp haskell hbase heroku hibernate hono htmx httpx hudi huggingface
    ibatis iceberg influxdb ingress intellij ios ipfs istio jaeger javascript jenkins jest jetty jira jquery
    jsonnet julia junit jupyter jwt k3s k8s kafka kaniko keycloak kibana kinesis knative kong kotlin
    kubectl kubernetes kustomize langchain langgraph laravel leveldb libuv linkerd linux litellm llvm lodash logstash
    loki lua lucene macos mariadb matplotlib maven memcached mercurial mermaid metabase microk8s milvus minikube minio
    mkdocs mlflow mobx mocha mongodb mongoose mssql mybatis mypy mysql nacos nats neo4j neovim nestjs netlify netty
    nextjs nginx nixos nodejs nomad npm nuget numpy nuxt nvim oauth ollama openai openapi openresty opensearch openssl
    opentelemetry oracle pandas pgbouncer pgvector php phpstorm pinecone pip pipenv playwright pnpm podman
    postgis postgres postgresql powershell prisma prometheus protobuf pulsar pulumi pycharm pydantic pytest python
    pytorch qdrant rabbitmq rancher rclone redis redshift redux rocketmq rocksdb rollup rstudio rsync rubocop ruff
    rxjs s3 sass scala scikit-learn scipy seata selenium sendgrid sentry shopify snowflake solidity solr sonarqube
    spacy spark splunk springboot sqlalchemy sqlite sqlserver sse stripe styled-components supabase svelte sveltekit
    svn swagger swiftui symfony systemd tailwind tailwindcss tauri telegraf tensorflow terraform testcontainers thanos
    tidb timescaledb tmux tokio tomcat tornado traefik turborepo twilio typeorm typescript ubuntu unicorn uvicorn
    valgrind valkey vault vercel vim vite vitest vllm vscode vue vuejs vuex weaviate webassembly webpack webrtc
    websocket wechat wireshark wordpress wsl xcode xgboost yarn zabbix zig zookeeper zsh zustand sqlite-vec
    claude-code github-actions vs-code sql-server next.js node.js vue.js nuxt.js nest.js express.js three.js
    electron.js asp.net socket.io pinia playwright qwen gemini deepseek openrouter dashscope langfuse flink hive
    presto trino clickhouse starrocks doris canal sentinel skywalking arthas mybatis-plus ruoyi feishu dingtalk
    """.split()  # noqa: SIM905  a list to be read, not typed in quotes
)
# Names only where they are written with a capital, and not at the head of a sentence.
CAPITAL = frozenset(
    """
    angular ant atom bash chrome claude cursor dart echo edge excel express falcon fiber flask gin git go groovy
    helm hugo hugging ionic java jest ktor less linear make meteor nest next notion outlook phoenix phaser photoshop
    pyramid rails react remix ruby rust safari salesforce scrapy sidekiq sinatra slack spring sublime swift teams
    tempo trello vector warp word zed zoom kimi
    """.split()  # noqa: SIM905
)
# Of which a number beside the name is a version, though it has no dot.
NUMBERED = frozenset(
    """
    python node java jdk openjdk php ruby go golang rust vue react angular django rails postgres postgresql mysql redis
    ubuntu debian ios android macos windows swift kotlin scala gcc clang cuda webpack vite eslint typescript pydantic
    sqlalchemy spring springboot elasticsearch kafka kubernetes mongodb mariadb gradle maven dotnet nextjs nodejs tailwind
    pytorch tensorflow numpy pandas flutter xcode chrome firefox sqlite nginx terraform npm pnpm yarn
    """.split()  # noqa: SIM905
)
